// Groups questions that ask the same in other words, in short steps of the event loop.
import { setImmediate } from 'node:timers/promises'
import { toPairs } from '../index/analyze.ts'
import { fold } from '../index/fold.ts'
import { stem } from '../index/stem.ts'
import { toWords } from '../index/words.ts'
import { stopWordsOf } from '../stop-words.ts'
import type { KeyCount } from '../store/day-counts.ts'

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
    const [words, vector] = [wordsOf(key), vectors.get(key)]
    const cluster = clusters.find((other) => {
      const shared = shareOf(words, other.words)
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
function wordsOf(text: string): Set<string> {
  const stopWords = stopWordsOf(text)
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
function shareOf(one: Set<string>, other: Set<string>): number {
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
