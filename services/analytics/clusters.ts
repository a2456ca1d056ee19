// Groups questions with the same meaning, yielding to the event loop. The local model makes the vectors, within limits of number
// and time. They stay in memory, so that nothing of an erased question is stored.
import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pTimeout from 'p-timeout'
import type { EmbeddingsConfig } from '../config.ts'
import { fold, stem, toPairs, toWords } from '../index/analyze.ts'
import { dotProduct, hashText } from '../index/units.ts'
import { type Embedder, isNotReady } from '../model/model.ts'
import { findStopWords } from '../stop-words.ts'
import type { KeyCount } from '../store/analytics.ts'

interface Cluster {
  /** The most frequent text. */
  question: string
  count: number
  /** Some of the texts, most frequent first. */
  examples: string[]
}

/** Minimum share of common words for two texts to match without vectors. */
const minShared = 0.6
const maxExamples = 5
/** Only the first stems of a text are compared. */
const maxStems = 60
/** Texts compared before yielding to the event loop: a few milliseconds of work. */
const step = 20

/** Unit vectors by text, and the minimum cosine for two texts to match. Texts without a vector are absent. */
export interface Meanings {
  vectors: ReadonlyMap<string, Float32Array>
  minAlike: number
}

/**
 * Each text joins the most frequent text with the same meaning. Largest clusters first. `install harbor` (3 times) and
 * `installing Harbor?` (once) form a cluster with count 4.
 */
export async function toClusters(
  texts: readonly KeyCount[],
  { vectors, minAlike }: Meanings,
): Promise<Cluster[]> {
  const clusters: (Cluster & { words: Set<string>; vector: Float32Array | undefined })[] = []
  for (const [n, { key, count }] of texts.toSorted((a, b) => b.count - a.count).entries()) {
    if (n % step === step - 1) await setImmediate()
    const [words, vector] = [toStems(key), vectors.get(key)]
    const cluster = clusters.find((other) => {
      const shared = toOverlap(words, other.words)
      if (shared === 1) return true
      return vector && other.vector ? dotProduct(vector, other.vector) >= minAlike : shared >= minShared
    })
    if (cluster === undefined) clusters.push({ question: key, count, examples: [key], words, vector })
    else {
      cluster.count += count
      if (cluster.examples.length < maxExamples) cluster.examples.push(key)
    }
  }
  return clusters
    .map(({ question, count, examples }) => ({ question, count, examples }))
    .sort((a, b) => b.count - a.count)
}

/** Stems of the words that are not stop words; of all words if there are only stop words. */
function toStems(text: string): Set<string> {
  const stopWords = findStopWords(text)
  const words = toWords(text).flatMap(({ text: word, isCjk }) => (isCjk ? toPairs(word) : [fold(word)]))
  const content = words.filter((word) => !stopWords.has(word))
  const stems = new Set<string>()
  for (const word of content.length > 0 ? content : words) {
    if (stems.size === maxStems) break
    stems.add(stem(word))
  }
  return stems
}

/** Jaccard index: size of the intersection by size of the union. 0 if both sets are empty. */
function toOverlap(one: Set<string>, other: Set<string>): number {
  let both = 0
  for (const word of one) if (other.has(word)) both++
  const either = one.size + other.size - both
  return either === 0 ? 0 : both / either
}

/** Minimum cosine by model, measured by `npm run bench -- fit-clusters`. */
export const minAlike: Record<string, number> = { 'all-minilm-l6-v2': 0.7 }

const maxCached = 2_000
const batch = 16
/** Milliseconds that a request waits for vectors. Later vectors serve later requests. */
const waitTime = 1_000
/** Maximum milliseconds of one embedding job. */
const workTime = 10_000

interface TextVectorDeps {
  embeddings: EmbeddingsConfig | null
  embedder: Embedder | null
  /** Detects the language of each text; null if unknown. */
  readLanguages(texts: string[]): Promise<(string | null)[]>
  report(error: unknown): void
}

/** Resolves with the vectors available in time. Never rejects. */
export type TextVectors = (texts: readonly string[]) => Promise<Meanings>

export function createTextVectors(deps: TextVectorDeps): TextVectors {
  const { embeddings, embedder, readLanguages, report } = deps
  const threshold = embeddings && 'local' in embeddings ? minAlike[embeddings.local] : undefined
  if (embedder === null || threshold === undefined)
    return async () => ({ vectors: new Map(), minAlike: Number.POSITIVE_INFINITY })

  const firstModel = embedder.name
  /** By hash of the text. Null for texts in a language that the model does not support. */
  const cache = new LRUCache<string, { vector: Float32Array | null }>({ max: maxCached })
  let isWorking = false

  async function embed(from: Embedder, texts: readonly string[]) {
    const signal = AbortSignal.timeout(workTime)
    for (let first = 0; first < texts.length && !signal.aborted; first += batch) {
      const chunk = texts.slice(first, first + batch)
      const languages = await readLanguages(chunk)
      const isSupported = (at: number) =>
        !from.languages || !languages[at] || from.languages.includes(languages[at])
      const supported = chunk.filter((_, at) => isSupported(at))
      const vectors = supported.length === 0 ? [] : await from.embed('passage', supported, signal)
      // The model was replaced. No minimum cosine is known for the new one.
      if (from.name !== firstModel) return cache.clear()
      for (const text of chunk)
        cache.set(hashText(text), { vector: vectors[supported.indexOf(text)] ?? null })
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
    const missing = [...new Set(texts)].slice(0, maxCached).filter((text) => !cache.has(hashText(text)))
    if (missing.length > 0 && !isWorking) {
      await pTimeout(work(embedder, missing), { milliseconds: waitTime, message: false })
    }
    const vectors = new Map<string, Float32Array>()
    for (const text of texts) {
      const vector = cache.get(hashText(text))?.vector
      if (vector) vectors.set(text, vector)
    }
    return { vectors, minAlike: threshold }
  }
}
