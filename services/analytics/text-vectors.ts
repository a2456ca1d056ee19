// Vectors of what readers asked, by the local model. Made on its thread, within bounds of number and time, and kept in memory
// alone: nothing of an erased question is stored.
import { LRUCache } from 'lru-cache'
import pTimeout from 'p-timeout'
import type { EmbeddingsConfig } from '../config.ts'
import { hashText } from '../index/embedded-text.ts'
import { type Embedder, isNotReady } from '../model/model.ts'
import type { Meanings } from './clusters.ts'

/** Cosines, by the model's name: `npm run bench -- fit-clusters`. */
export const minAlike: Record<string, number> = { 'all-minilm-l6-v2': 0.7 }

const maxKept = 2_000
const batch = 16
/** Milliseconds that a reading waits for vectors; those made later serve the next. */
const waitTime = 1_000
/** Milliseconds for which vectors are made without a pause. */
const workTime = 10_000

interface TextVectorDeps {
  embeddings: EmbeddingsConfig | null
  embedder: Embedder | null
  /** Languages of texts, null where one cannot be told. */
  readLanguages(texts: string[]): Promise<(string | null)[]>
  report(error: unknown): void
}

/** Answers the vectors that are there in time. Never rejects. */
export type TextVectors = (texts: readonly string[]) => Promise<Meanings>

export function createTextVectors(deps: TextVectorDeps): TextVectors {
  const { embeddings, embedder, readLanguages, report } = deps
  const threshold = embeddings && 'local' in embeddings ? minAlike[embeddings.local] : undefined
  if (embedder === null || threshold === undefined)
    return async () => ({ vectors: new Map(), minAlike: Number.POSITIVE_INFINITY })

  /** By hash of the text; null for texts in a language that the model does not know. */
  const kept = new LRUCache<string, { vector: Float32Array | null }>({ max: maxKept })
  let isWorking = false

  async function embed(from: Embedder, texts: readonly string[]) {
    const signal = AbortSignal.timeout(workTime)
    for (let first = 0; first < texts.length && !signal.aborted; first += batch) {
      const asked = texts.slice(first, first + batch)
      const languages = await readLanguages(asked)
      const isKnown = (at: number) =>
        !from.languages || !languages[at] || from.languages.includes(languages[at])
      const known = asked.filter((_, at) => isKnown(at))
      const vectors = known.length === 0 ? [] : await from.embed('passage', known, signal)
      for (const text of asked) kept.set(hashText(text), { vector: vectors[known.indexOf(text)] ?? null })
    }
  }

  async function work(from: Embedder, texts: readonly string[]) {
    isWorking = true
    try {
      await embed(from, texts)
    } catch (error) {
      if (!isNotReady(error) && (error as Error).name !== 'TimeoutError') report(error)
    } finally {
      isWorking = false
    }
  }

  return async (texts) => {
    const missing = [...new Set(texts)].slice(0, maxKept).filter((text) => !kept.has(hashText(text)))
    if (missing.length > 0 && !isWorking) {
      await pTimeout(work(embedder, missing), { milliseconds: waitTime, message: false })
    }
    const vectors = new Map<string, Float32Array>()
    for (const text of texts) {
      const vector = kept.get(hashText(text))?.vector
      if (vector) vectors.set(text, vector)
    }
    return { vectors, minAlike: threshold }
  }
}
