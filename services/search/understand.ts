// From what a reader typed to groups of terms: one group a word, each with what the word may stand for.
import { termsOf, toPairs } from '../index/analyze.ts'
import { stem } from '../index/stem.ts'
import { toWords, type Word } from '../index/words.ts'
import { stopWordsOf } from '../stop-words.ts'
import { type Correction, type Corrector, createCorrector } from './correct.ts'
import { complete, countOf, type Vocabulary } from './vocabulary.ts'

/** A word of the query. A unit matches it by any of the alternatives, each with its weight. */
export interface Group {
  /** Folded, as typed. */
  word: string
  isStop: boolean
  isPrefix: boolean
  /** Of a match; another word that is as rare counts 1. */
  weight: number
  /** Inverse document frequency of what it most likely means. */
  idf: number
  /** Term → 0 to 1. */
  alternatives: Map<string, number>
}

export interface ParsedQuery {
  isQuestion: boolean
  groups: Group[]
  /** Terms of the words between quotation marks: places must hold them in this order, side by side. */
  phrases: string[][]
  /** What the index is asked for. */
  terms: string[]
}

/** The shorter the beginning, the more common its completions, and the less one more of them helps. */
const completionsByLetters = [0, 6, 8]
const completions = 12
/** Weight of a part of an identifier; the whole counts 1. */
const partWeight = 0.4
/** What is left of a word without a subject of its own. */
const stopWeight = 0.1
const stemWeight = 0.85
const maxWords = 24
/** A run of ideographs or an identifier is one word, and many groups. */
const maxGroups = 48
const maxPhrases = 8
/** The index is asked for no more. */
const maxTerms = 48

/** Which last words the reader may still be typing: any, those that are no words of the project, or none. */
export type Typing = 'any' | 'unknown' | 'none'

export function understand(q: string, vocabulary: Vocabulary, typing: Typing = 'any'): ParsedQuery {
  const words = toWords(q).slice(0, maxWords)
  const last = words.at(-1)
  const stopWords = stopWordsOf(q)
  const isBegun = last?.end === q.length && mayBeBegun(last, typing, vocabulary, stopWords)
  const correct = createCorrector(vocabulary)
  const groups = words.flatMap((word) => readWord(word, word === last && isBegun, vocabulary, correct))
  const once = withoutRepeats(groups)
    .slice(0, maxGroups)
    .map((group) => (stopWords.has(group.word) ? { ...group, isStop: true, weight: stopWeight } : group))
  return { isQuestion: false, groups: once, phrases: readPhrases(q), terms: likeliestTerms(once) }
}

/** Of all of them together so many words count as of the query. */
function readPhrases(q: string): string[][] {
  let room = maxWords
  const phrases = [...q.matchAll(/"([^"]+)"/gu)].slice(0, maxPhrases).map((match) => {
    const phrase = toWords(match[1]!)
      .flatMap((word) => (word.isCjk ? toPairs(word.text) : termsOf(word.text).slice(0, 1)))
      .slice(0, room)
    room -= phrase.length
    return phrase
  })
  return phrases.filter((phrase) => phrase.length > 1)
}

/** Likeliest meanings of each word first; words that carry no subject only when there are no others. */
function likeliestTerms(groups: Group[]): string[] {
  const telling = groups.filter(({ isStop, isPrefix }) => !isStop || (isPrefix && groups.length === 1))
  const chosen = telling.length > 0 ? telling : groups
  const lists = chosen.map(({ alternatives }) =>
    [...alternatives].sort((a, b) => b[1] - a[1]).map(([term]) => term),
  )
  const terms = new Set<string>()
  for (let at = 0; at < Math.max(0, ...lists.map((list) => list.length)); at++) {
    for (const list of lists) if (list[at] !== undefined && terms.size < maxTerms) terms.add(list[at]!)
  }
  return [...terms]
}

function mayBeBegun(
  { text }: Word,
  typing: Typing,
  vocabulary: Vocabulary,
  stopWords: ReadonlySet<string>,
): boolean {
  if (typing !== 'unknown') return typing === 'any'
  const [whole] = termsOf(text)
  return whole !== undefined && !stopWords.has(whole) && countOf(vocabulary, whole) === 0
}

function readWord(word: Word, isPrefix: boolean, vocabulary: Vocabulary, correct: Corrector): Group[] {
  if (word.isCjk) {
    const pairs = toPairs(word.text)
    const begun = isPrefix && pairs[0]!.length === 1
    return pairs.map((pair) => toGroup(pair, begun, 1, vocabulary, correct))
  }
  const [whole] = termsOf(word.text)
  if (whole === undefined) return []
  const corrections = known(vocabulary, whole, isPrefix) ? null : correct(whole, isPrefix)
  const parts = partsOf(corrections?.[0]?.term ?? word.text)
  const groups = parts.map((part) =>
    toGroup(part, isPrefix && !corrections && whole.endsWith(part), partWeight, vocabulary, correct),
  )
  if (corrections === null) return [toGroup(whole, isPrefix, 1, vocabulary, correct), ...groups]
  if (corrections.length > 0) return [toCorrected(whole, corrections, vocabulary), ...groups]
  return groups.length > 0 ? groups : [toGroup(whole, isPrefix, 1, vocabulary, correct)]
}

function known(vocabulary: Vocabulary, term: string, isPrefix: boolean): boolean {
  return countOf(vocabulary, term) > 0 || (isPrefix && complete(vocabulary, term, 1).length > 0)
}

/** Parts and tails of an identifier without the whole and without stems. */
function partsOf(word: string): string[] {
  const terms = termsOf(word)
  return terms.slice(1).filter((term, at) => term !== stem(terms[at]!))
}

function toGroup(
  word: string,
  isPrefix: boolean,
  weight: number,
  vocabulary: Vocabulary,
  correct: Corrector,
): Group {
  const isKnown = countOf(vocabulary, word) > 0
  const alternatives = new Map<string, number>(isKnown ? [[word, 1]] : [])
  if (isPrefix) {
    for (const term of complete(vocabulary, word, completionsByLetters[word.length] ?? completions)) {
      if (!alternatives.has(term)) alternatives.set(term, isKnown ? 0.5 : completionWeight(word, term))
    }
  } else if (!isKnown) {
    for (const { term, weight } of correct(word, false)) alternatives.set(term, weight)
  }
  return withStems({ word, isStop: false, isPrefix, weight, alternatives }, vocabulary)
}

function toCorrected(word: string, corrections: Correction[], vocabulary: Vocabulary): Group {
  const alternatives = new Map(corrections.map(({ term, weight }) => [term, weight]))
  return withStems({ word, isStop: false, isPrefix: false, weight: 1, alternatives }, vocabulary)
}

function withStems(group: Omit<Group, 'idf'>, vocabulary: Vocabulary): Group {
  const alternatives = new Map(group.alternatives.size > 0 ? group.alternatives : [[group.word, 1]])
  const [likeliest] = alternatives.keys()
  // A prefix has its completions; their stems would only find more of the same.
  for (const [term, weight] of group.isPrefix ? [] : [...alternatives]) {
    const root = stem(term)
    if (!alternatives.has(root)) alternatives.set(root, weight * stemWeight)
  }
  return { ...group, alternatives, idf: toIdf(vocabulary.units, countOf(vocabulary, likeliest!)) }
}

/** What is nearly typed out is nearly certain. */
function completionWeight(prefix: string, term: string): number {
  return 0.6 + 0.4 * (prefix.length / term.length)
}

/** Inverse document frequency as in BM25, never negative. */
export function toIdf(units: number, withTerm: number): number {
  return Math.log(1 + (units - withTerm + 0.5) / (withTerm + 0.5))
}

function withoutRepeats(groups: Group[]): Group[] {
  const seen = new Set<string>()
  return groups.filter(({ word }) => !seen.has(word) && seen.add(word))
}

/** From `minWords` on a query is a question if one of its words is a stop word, from `surelyWords` on in any case. */
const minWords = 4
const surelyWords = 6
const marks = /[?？]\s*$/u

/**
 * `how to parse TOML`, `file that vanishes after it is closed`, `why so slow?` are questions; `asyncio.create_task`,
 * `CREATE FOREIGN DATA WRAPPER` and `abstract base class` are names.
 */
export function isQuestion(q: string): boolean {
  const words = toWords(q)
  if (words.length >= surelyWords || marks.test(q)) return words.length > 1
  if (words.length < minWords) return false
  const stopWords = stopWordsOf(q)
  return words.some(({ text }) => stopWords.has(text.toLowerCase()))
}

/** Places of terms that are read, as a share of the project's units: common words are left out beyond. */
const maxRead = 0.2
/** As many are read of a small project. */
const alwaysRead = 1_000

/**
 * `how do I kill the jobs` → kill, job; terms: the rarer of the two first, then the other, as long as their lists are short.
 * Stop words are looked for only where there is nothing else.
 */
export function understandQuestion(q: string, vocabulary: Vocabulary, typing: Typing): ParsedQuery {
  const { groups, phrases } = understand(q, vocabulary, typing)
  const rooted = contentGroups(groups).map((group) => toRoot(group, vocabulary))
  return { isQuestion: true, groups: rooted, phrases, terms: chooseTerms(rooted, vocabulary) }
}

/** Words without a subject count only where there are no others. */
export function contentGroups(groups: Group[]): Group[] {
  const content = groups.filter(({ isStop }) => !isStop)
  return content.length > 0 ? content : groups
}

/** A known word stands for all of its forms. */
function toRoot(group: Group, vocabulary: Vocabulary): Group {
  const root = stem(group.word)
  const count = countOf(vocabulary, root)
  if (group.isPrefix || count === 0) return group
  return { ...group, alternatives: new Map([[root, 1]]), idf: toIdf(vocabulary.units, count) }
}

/** The rarest first. */
function chooseTerms(groups: Group[], vocabulary: Vocabulary): string[] {
  const all = new Set(groups.flatMap(({ alternatives }) => [...alternatives.keys()]))
  const terms = [...all]
    .map((term) => ({ term, count: countOf(vocabulary, term) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.count - b.count)
  const budget = Math.max(alwaysRead, maxRead * vocabulary.units)
  const chosen: string[] = []
  let read = 0
  for (const { term, count } of terms) {
    if (chosen.length > 0 && read + count > budget) continue
    read += count
    chosen.push(term)
  }
  return chosen
}
