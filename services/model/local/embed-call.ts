// A call for vectors from one thread to another. Errors lose their class between threads, so faults are returned.
import pTimeout from 'p-timeout'
import { type Embedder, ModelError, type ModelFault, type TextKind } from '../model.ts'
import { localModels } from './models.ts'

/** `model`: name of the embedder of the vectors. */
type EmbedAnswer = { vectors: Float32Array[]; model: string } | { fault: ModelFault }

export type EmbedCall = (kind: TextKind, texts: string[]) => Promise<EmbedAnswer>

const never = new AbortController().signal

/** Creates the function in the thread of the model. `embedder` returns null while the model is loading. */
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

/** Creates an embedder in the calling thread. `local`: initial model name. An abort does not stop the work in the other thread. */
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
