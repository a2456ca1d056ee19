// From what a reader typed to groups of terms: one group a word, each with what the word may stand for.
import { termsOf, toPairs } from '../index/analyze.ts'
import { stem } from '../index/stem.ts'
import { toWords, type Word } from '../index/words.ts'
import { correct } from './correct.ts'
import { stopWords } from './stop-words.ts'
import { complete, countOf, type Vocabulary } from './vocabulary.ts'

/** A word of the query. A unit matches it by any of the alternatives, each worth its weight. */
export interface Group {
  /** Folded, as typed. */
  word: string
  isStop: boolean
  isPrefix: boolean
  /** Inverse document frequency of what it most likely means. */
  rarity: number
  /** Term → 0 to 1. */
  alternatives: Map<string, number>
}

export interface Understood {
  groups: Group[]
  /** Terms of the words between quotation marks: places must hold them in this order, side by side. */
  phrases: string[][]
}

const completions = 12
const corrections = 4
/** A part of an identifier is worth this much of the whole. */
const partWeight = 0.5
const stemWeight = 0.85
const mostWords = 24

export function understand(q: string, vocabulary: Vocabulary): Understood {
  const words = toWords(q).slice(0, mostWords)
  const last = words.at(-1)
  const groups = words.flatMap((word) => readWord(word, word === last && word.end === q.length, vocabulary))
  const phrases = [...q.matchAll(/"([^"]+)"/gu)].map((match) =>
    toWords(match[1]!).flatMap((word) => (word.isCjk ? toPairs(word.text) : termsOf(word.text).slice(0, 1))),
  )
  return { groups: withoutRepeats(groups), phrases: phrases.filter((phrase) => phrase.length > 1) }
}

function readWord(word: Word, isPrefix: boolean, vocabulary: Vocabulary): Group[] {
  if (word.isCjk) {
    const pairs = toPairs(word.text)
    const begun = pairs.length === 1 && pairs[0]!.length === 1
    return pairs.map((pair) => group(pair, false, begun, vocabulary))
  }
  const [whole, ...parts] = termsOf(word.text)
  if (whole === undefined) return []
  const made = group(whole, stopWords.has(whole), isPrefix, vocabulary)
  for (const part of parts) {
    const weight = part === stem(whole) ? stemWeight : partWeight
    if (!made.alternatives.has(part)) made.alternatives.set(part, weight)
  }
  return [made]
}

function group(word: string, isStop: boolean, isPrefix: boolean, vocabulary: Vocabulary): Group {
  const alternatives = new Map<string, number>()
  const known = countOf(vocabulary, word)
  if (known > 0) alternatives.set(word, 1)
  if (isPrefix) {
    for (const term of complete(vocabulary, word, completions)) {
      if (!alternatives.has(term)) alternatives.set(term, known > 0 ? 0.5 : completionWeight(word, term))
    }
  }
  if (alternatives.size === 0) {
    for (const { term, weight } of correct(vocabulary, word, isPrefix, corrections)) {
      alternatives.set(term, weight)
      const root = stem(term)
      if (root !== term && !alternatives.has(root)) alternatives.set(root, weight * stemWeight)
    }
  }
  if (alternatives.size === 0) alternatives.set(word, 1)
  const [likeliest] = alternatives.keys()
  const rarity = rarityOf(vocabulary, likeliest!)
  return { word, isStop, isPrefix, rarity, alternatives }
}

/** What is nearly typed out is nearly certain. */
function completionWeight(prefix: string, term: string): number {
  return 0.6 + 0.4 * (prefix.length / term.length)
}

function rarityOf(vocabulary: Vocabulary, term: string): number {
  const { units } = vocabulary
  const count = countOf(vocabulary, term)
  return Math.log(1 + (units - count + 0.5) / (count + 0.5))
}

function withoutRepeats(groups: Group[]): Group[] {
  const seen = new Set<string>()
  return groups.filter(({ word }) => !seen.has(word) && seen.add(word))
}
