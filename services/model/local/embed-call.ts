// A call for vectors from one thread to another. Errors lose their class on the way, so faults are answers.
import pTimeout from 'p-timeout'
import { type Embedder, ModelError, type ModelFault, type TextKind } from '../model.ts'
import { localModels } from './models.ts'

/** `model`: the name of the embedder that made the vectors. */
type EmbedAnswer = { vectors: Float32Array[]; model: string } | { fault: ModelFault }

export type EmbedCall = (kind: TextKind, texts: string[]) => Promise<EmbedAnswer>

const never = new AbortController().signal

/** The called side. `embedder` returns null while the model is loading. */
export function createEmbedCall(embedder: () => Embedder | null): EmbedCall {
  return async (kind, texts) => {
    const ready = embedder()
    if (ready === null) return { fault: 'loading' }
    try {
      return { vectors: await ready.embed(kind, texts, never), model: ready.name }
    } catch (error) {
      if (error instanceof ModelError) return { fault: error.fault }
      throw error
    }
  }
}

/** The calling side: `local` is the model until an answer comes from another. An abort does not stop the work on the other side. */
export function createCallingEmbedder(local: string, call: EmbedCall): Embedder {
  let name = toEmbedderName(local)
  return {
    get name() {
      return name
    },
    get languages() {
      return localModels.find((model) => toEmbedderName(model.name) === name)?.languages ?? undefined
    },
    async embed(kind, texts, signal) {
      signal.throwIfAborted()
      const answer = await pTimeout(call(kind, texts), { milliseconds: Number.POSITIVE_INFINITY, signal })
      if ('fault' in answer) throw new ModelError(answer.fault)
      name = answer.model
      return answer.vectors
    },
  }
}

export const toEmbedderName = (local: string) => `local:${local}`
