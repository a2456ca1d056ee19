// Vectors of questions and similarities of texts, within the short time that a reader waits. A slow, unavailable
// or overloaded model delays a search by at most this time, and the following searches not at all for a while.
import { LRUCache } from 'lru-cache'
import pTimeout from 'p-timeout'
import type { Hit, SearchIndex, VectorQuery } from '../index/search-index.ts'
import { dotProduct, toFirstModel } from '../index/units.ts'
import { type Embedder, isNotReady, type TextKind } from '../model/model.ts'

/** Timeout of a request in milliseconds. Its response is cached even if no search is waiting for it. */
const requestTimeout = 10_000
const maxRequests = 4
const maxKept = 1_000
/** Milliseconds without requests after a failure. */
const restAfterFailure = 10_000

export interface QuestionVector {
  model: string
  vector: Float32Array
}

/** Whether a question was searched by meaning. All values except `used` say why only words were used. */
export type Meaning =
  | 'used'
  /** Embeddings are off. */
  | 'off'
  /** The local model is still loading. */
  | 'loading'
  /** Too many questions were being embedded, or the model has just failed. */
  | 'busy'
  | 'late'
  | 'failed'
  /** No result has a vector: the project is not embedded yet, or its language is not supported by the model. */
  | 'unembedded'

/** The trailer with the meanings of a call's questions, comma-separated, for metrics. */
export const meaningTrailer = 'lectern-meaning'

export type QuestionVectorResult =
  | { meaning: 'used'; vector: QuestionVector }
  | { meaning: Exclude<Meaning, 'used'>; vector: null }

interface Deps {
  /** Null if embeddings are off. */
  embedder: Embedder | null
  report(error: unknown): void
}

/** `now`: milliseconds. `report` is called once for consecutive failures. */
export function createQuestionVectors({ embedder, now, report }: Deps & { now(): number }) {
  const kept = new LRUCache<string, QuestionVector>({ max: maxKept })
  const underWay = new Map<string, Promise<QuestionVectorResult>>()
  let restsUntil = 0
  let failures = 0

  async function request(from: Embedder, question: string): Promise<QuestionVectorResult> {
    try {
      const [vector] = await from.embed('question', [question], AbortSignal.timeout(requestTimeout))
      const made = { model: from.name, vector: vector! }
      kept.set(question, made)
      failures = 0
      return { meaning: 'used', vector: made }
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
    /** The question's vector, if available within `timeout` milliseconds. Never rejects. */
    async of(question: string, timeout: number): Promise<QuestionVectorResult> {
      if (embedder === null) return without('off')
      const known = kept.get(question)
      if (known?.model === embedder.name) return { meaning: 'used', vector: known }
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

/** While a project is embedded for the first time, only the vectors of first texts cover it as a whole. */
export async function findByMeaning(
  index: Pick<SearchIndex, 'findByVector'>,
  project: string,
  query: VectorQuery,
): Promise<Hit[]> {
  const models = [toFirstModel(query.model), query.model]
  const [first, whole] = await Promise.all(
    models.map((model) => index.findByVector(project, { ...query, model })),
  )
  return first!.length > 0 ? first! : whole!
}

export type QuestionVectors = ReturnType<typeof createQuestionVectors>

function without(meaning: Exclude<Meaning, 'used'>): QuestionVectorResult {
  return { meaning, vector: null }
}

/** Milliseconds that an answer waits for similarities. */
const similarityTimeout = 2_000
/** Texts that are embedded together: the first batches count even if there is no time for all. */
const batchSize = 16

/**
 * Cosines, from -1 to 1, of each pair's text with its others, in order, as far as there was time. Null without an embedder,
 * or if it fails or has too many calls.
 *
 *   [{ text: 'a', others: ['a', 'b'] }, { text: 'c', others: [] }] → [[1, .3], []]
 */
export type Similarities = (pairs: { text: string; others: string[] }[]) => Promise<number[][] | null>

export function createSimilarities({ embedder, report }: Deps): Similarities {
  return async (pairs) => {
    if (embedder === null) return null
    const signal = AbortSignal.timeout(similarityTimeout)
    const compared = pairs.filter(({ others }) => others.length > 0)
    const questions = compared.map(({ text }) => text)
    const passages = compared.flatMap(({ others }) => others)
    try {
      const vectors = await embedInTime(embedder, 'question', questions, signal)
      const otherVectors = await embedInTime(embedder, 'passage', passages, signal)
      return pairs.map(({ text, others }) => {
        const missing = others.findIndex((other) => !otherVectors.has(other))
        const known = vectors.has(text) ? others.slice(0, missing < 0 ? undefined : missing) : []
        return known.map((other) => dotProduct(vectors.get(text)!, otherVectors.get(other)!))
      })
    } catch (error) {
      if (!isNotReady(error)) report(error)
      return null
    }
  }
}

/** Embeds each text once, in order, until `signal` aborts. */
async function embedInTime(
  embedder: Embedder,
  kind: TextKind,
  texts: string[],
  signal: AbortSignal,
): Promise<Map<string, Float32Array>> {
  const distinct = [...new Set(texts)]
  const vectors = new Map<string, Float32Array>()
  for (let at = 0; at < distinct.length; at += batchSize) {
    const batch = distinct.slice(at, at + batchSize)
    try {
      const embedded = await embedder.embed(kind, batch, signal)
      for (const [n, text] of batch.entries()) vectors.set(text, embedded[n]!)
    } catch (error) {
      if (!signal.aborted) throw error
      break
    }
  }
  return vectors
}
