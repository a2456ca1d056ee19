// A call for vectors from one thread to another, where an error would lose what it is on the way.
import pTimeout from 'p-timeout'
import { type Embedder, ModelError, type ModelFault, type TextKind } from '../model.ts'

type EmbedAnswer = { vectors: Float32Array[] } | { fault: ModelFault }

export type EmbedCall = (kind: TextKind, texts: string[]) => Promise<EmbedAnswer>

const never = new AbortController().signal

/** The side that is called. `embedder` answers null while there is none. */
export function createEmbedCall(embedder: () => Embedder | null): EmbedCall {
  return async (kind, texts) => {
    const ready = embedder()
    if (ready === null) return { fault: 'loading' }
    try {
      return { vectors: await ready.embed(kind, texts, never) }
    } catch (error) {
      if (error instanceof ModelError) return { fault: error.fault }
      throw error
    }
  }
}

/** The side that calls. What the other side was asked for and nobody waits for any more is made in vain. */
export function createCallingEmbedder(name: string, languages: string[] | null, call: EmbedCall): Embedder {
  return {
    name,
    ...(languages && { languages }),
    async embed(kind, texts, signal) {
      signal.throwIfAborted()
      const answer = await pTimeout(call(kind, texts), { milliseconds: Number.POSITIVE_INFINITY, signal })
      if ('fault' in answer) throw new ModelError(answer.fault)
      return answer.vectors
    },
  }
}
