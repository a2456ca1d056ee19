// Groups questions that ask the same in other words, in short steps of the event loop. Vectors come from the local model, within
// limits of number and time, and are kept in memory only: nothing of an erased question is stored.
import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pTimeout from 'p-timeout'
import type { EmbeddingsConfig } from '../config.ts'
import { fold, stem, toPairs, toWords } from '../index/analyze.ts'
import { hashText } from '../index/units.ts'
import { type Embedder, isNotReady } from '../model/model.ts'
import { findStopWords } from '../stop-words.ts'
import type { KeyCount } from '../store/analytics.ts'

interface Cluster {
  /** The most frequent of its texts. */
  question: string
  count: number
  /** Some of its texts, the most frequent ones first. */
  examples: string[]
}

/** Share of the words of two texts that both must hold, where no model compares them. */
const minShared = 0.6
const maxExamples = 5
/** Different stems of a text that are compared: the first ones. */
const maxStems = 60
/** Texts compared in one step of the event loop: at most some milliseconds. */
const step = 20

/** Vectors of length 1 by text, of those that have one, and the cosine from which on two texts ask about the same. */
export interface Meanings {
  vectors: ReadonlyMap<string, Float32Array>
  minAlike: number
}

/**
 * Each text joins the most frequent one that is about the same; the largest clusters first. `install harbor`, 3 times, and
 * `installing Harbor?`, once, are one of 4.
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
      return vector && other.vector ? cosine(vector, other.vector) >= minAlike : shared >= minShared
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

/** Stems of the words that carry the subject; all of them where none does. */
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

/** Of two sets, which may be empty: what both hold among what either holds. */
function toOverlap(one: Set<string>, other: Set<string>): number {
  let both = 0
  for (const word of one) if (other.has(word)) both++
  const either = one.size + other.size - both
  return either === 0 ? 0 : both / either
}

function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let n = 0; n < one.length; n++) sum += one[n]! * other[n]!
  return sum
}

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
  /** Languages of texts, null where undetermined. */
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

  const firstModel = embedder.name
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
      // Another model took the first one's place: its scale is not known.
      if (from.name !== firstModel) return kept.clear()
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
