// A call for vectors from one thread to another. Errors lose their class on the way, so faults are answers.
import pTimeout from 'p-timeout'
import { type Embedder, ModelError, type ModelFault, type TextKind } from '../model.ts'

type EmbedAnswer = { vectors: Float32Array[] } | { fault: ModelFault }

export type EmbedCall = (kind: TextKind, texts: string[]) => Promise<EmbedAnswer>

const never = new AbortController().signal

/** The called side. `embedder` returns null while the model is loading. */
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

/** The calling side. An abort does not stop the work on the other side. */
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
