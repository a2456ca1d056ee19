// Vectors of questions, within the little time that a reader waits. A model that is slow, away or overrun costs a search no
// more than that time, and then nothing for a while.
import { LRUCache } from 'lru-cache'
import pTimeout from 'p-timeout'
import { type Embedder, isNotReady } from '../model/model.ts'

/** Milliseconds that a request may take; its answer is kept even when no search waits for it any more. */
const requestTimeout = 10_000
const maxRequests = 4
const maxKept = 1_000
/** Milliseconds without requests after a failure. */
const restAfterFailure = 10_000

export interface QuestionVector {
  model: string
  vector: Float32Array
}

/** Whether a question was searched for by its meaning too; all but `used` say why it went by words alone. */
export type Meaning =
  | 'used'
  /** Embeddings are off. */
  | 'off'
  /** The local model is not there yet. */
  | 'loading'
  /** Too many questions were under way, or the model has just failed. */
  | 'busy'
  | 'late'
  | 'failed'
  /** Nothing that was found has a vector: the project is not embedded yet, or in a language that the model does not know. */
  | 'unembedded'

/** The trailer by which the core tells the meanings of a call's questions, comma-separated, to who counts them. */
export const meaningTrailer = 'lectern-meaning'

export type QuestionVectorResult =
  | { meaning: 'used'; vector: QuestionVector }
  | { meaning: Exclude<Meaning, 'used'>; vector: null }

interface QuestionVectorDeps {
  /** Null where embeddings are off. */
  embedder: Embedder | null
  /** Milliseconds. */
  now(): number
  /** Told once of a row of failures. */
  report(error: unknown): void
}

export function createQuestionVectors({ embedder, now, report }: QuestionVectorDeps) {
  const kept = new LRUCache<string, Float32Array>({ max: maxKept })
  const underWay = new Map<string, Promise<QuestionVectorResult>>()
  let restsUntil = 0
  let failures = 0

  async function request(from: Embedder, question: string): Promise<QuestionVectorResult> {
    try {
      const [vector] = await from.embed('question', [question], AbortSignal.timeout(requestTimeout))
      kept.set(question, vector!)
      failures = 0
      return { meaning: 'used', vector: { model: from.name, vector: vector! } }
    } catch (error) {
      if (isNotReady(error)) return without(error.fault)
      if (failures === 0) report(error)
      failures += 1
      restsUntil = now() + restAfterFailure
      return without('failed')
    } finally {
      underWay.delete(question)
    }
  }

  return {
    /** The question's vector, if it is there within `timeout` milliseconds. Never rejects. */
    async of(question: string, timeout: number): Promise<QuestionVectorResult> {
      if (embedder === null) return without('off')
      const known = kept.get(question)
      if (known !== undefined) return { meaning: 'used', vector: { model: embedder.name, vector: known } }
      let asked = underWay.get(question)
      if (asked === undefined) {
        if (underWay.size >= maxRequests || now() < restsUntil) return without('busy')
        asked = request(embedder, question)
        underWay.set(question, asked)
      }
      return pTimeout(asked, { milliseconds: timeout, fallback: () => without('late') })
    },
  }
}

export type QuestionVectors = ReturnType<typeof createQuestionVectors>

function without(meaning: Exclude<Meaning, 'used'>): QuestionVectorResult {
  return { meaning, vector: null }
}
