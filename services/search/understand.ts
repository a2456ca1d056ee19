// Parses a query into groups of terms: one group per word, with the alternative terms of the word.
import { fold, readTerms, stem, toPairs, toWords, type Word } from '../index/analyze.ts'
import { findStopWords } from '../stop-words.ts'
import { type Correction, type Corrector, createCorrector } from './correct.ts'
import { createForms, type Forms } from './forms.ts'
import { complete, readCount, type Vocabulary } from './vocabulary.ts'

/** A word of the query. Any of its alternatives matches, with its weight. */
export interface Group {
  /** Folded, as typed. */
  word: string
  isStop: boolean
  isPrefix: boolean
  /** Weight of the word, on top of its idf. An ordinary word has 1. */
  weight: number
  idf: number
  /** Weight by term, 0 to 1. */
  alternatives: Map<string, number>
}

export interface ParsedQuery {
  isQuestion: boolean
  /** For a question: its words except stop words, in all forms. */
  groups: Group[]
  typed: Group[]
  /** For a name: its qualified words, as of toQualifiedName. */
  names: string[]
  /** Terms of the words in quotation marks, which must be adjacent and in this order. */
  phrases: string[][]
  /** Terms for the query of the index. */
  terms: string[]
}

/** Maximum completions by letters of the prefix. Short prefixes have common completions, of which more help less. */
const completionsByLetters = [0, 6, 8]
const completions = 12
/** Weight of a part of an identifier. The whole has weight 1. */
const partWeight = 0.4
const stopWeight = 0.1
const stemWeight = 0.85
const joinedWeight = 0.9
const maxWords = 24
/** Maximum groups: a run of CJK text or an identifier is one word but many groups. */
const maxGroups = 48
const maxPhrases = 8
/** Maximum terms for the query of the index. */
const maxTerms = 48

/** `isTyping`: whether the last word may be incomplete. In a question, only an unknown word is. */
export function understand(q: string, vocabulary: Vocabulary, isTyping: boolean): ParsedQuery {
  const asksQuestion = isQuestion(q)
  const words = toWords(q).slice(0, maxWords)
  const last = words.at(-1)
  const stopWords = findStopWords(q)
  const isPrefix = (word: Word) =>
    isTyping &&
    word === last &&
    word.end === q.length &&
    !(asksQuestion && isKnownWord(word, stopWords, vocabulary))
  const correct = createCorrector(vocabulary)
  const forms = createForms(q, vocabulary)
  const groups = words.flatMap((word) => readWord(word, isPrefix(word), vocabulary, correct, forms))
  const names = words.map(({ text }) => toQualifiedName(text)).filter((name) => name.includes('.'))
  // The member of `Array.from` is no stop word.
  const isStop = (word: string) => stopWords.has(word) && !names.some((name) => name.endsWith(`.${word}`))
  const typed = [...Map.groupBy(groups, ({ word }) => word).values()]
    .slice(0, maxGroups)
    .map(([group]) => (isStop(group!.word) ? { ...group!, isStop: true, weight: stopWeight } : group!))
  const query = { isQuestion: asksQuestion, typed, names: asksQuestion ? [] : names, phrases: readPhrases(q) }
  if (!asksQuestion) {
    joinNeighbors(typed, vocabulary)
    return { ...query, groups: typed, terms: likelyTerms(typed) }
  }
  const contentWords = contentGroups(typed).map((group) => toRoot(group, vocabulary, forms))
  return { ...query, groups: contentWords, terms: rarestTerms(contentWords, vocabulary) }
}

/** `List.of`, `List#of`, `List::of` → `list.of` */
export const toQualifiedName = (word: string) => (fold(word).match(/[^.#:]+/gu) ?? []).join('.')

/** Adds to two neighbors the word that they make, if pages have it: `time out` also finds `timeout`. */
function joinNeighbors(groups: Group[], vocabulary: Vocabulary): void {
  const words = groups.filter(({ weight }) => weight !== partWeight)
  for (const [at, next] of words.slice(1).entries()) {
    const { word, alternatives } = words[at]!
    const whole = word + next.word
    const terms = next.isPrefix ? complete(vocabulary, whole, 2) : [whole, stem(whole)]
    for (const term of terms.filter((term) => readCount(vocabulary, term) > 0))
      for (const each of [alternatives, next.alternatives]) if (!each.has(term)) each.set(term, joinedWeight)
  }
}

/** A query of `minWords` or more is a question if it has a stop word, one of `surelyWords` or more always. */
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
  const stopWords = findStopWords(q)
  return words.some(({ text }) => stopWords.has(text.toLowerCase()))
}

/** Limits the words of all phrases to `maxWords`. */
function readPhrases(q: string): string[][] {
  let room = maxWords
  const phrases = [...q.matchAll(/"([^"]+)"/gu)].slice(0, maxPhrases).map((match) => {
    const phrase = toWords(match[1]!)
      .flatMap((word) => (word.isCjk ? toPairs(word.text) : readTerms(word.text).slice(0, 1)))
      .slice(0, room)
    room -= phrase.length
    return phrase
  })
  return phrases.filter((phrase) => phrase.length > 1)
}

function isKnownWord({ text }: Word, stopWords: ReadonlySet<string>, vocabulary: Vocabulary): boolean {
  const [whole] = readTerms(text)
  return whole === undefined || stopWords.has(whole) || readCount(vocabulary, whole) > 0
}

function readWord(
  word: Word,
  isPrefix: boolean,
  vocabulary: Vocabulary,
  correct: Corrector,
  forms: Forms,
): Group[] {
  const group = (word: string, isPrefix: boolean, weight = 1) =>
    toGroup(word, isPrefix, weight, findAlternatives(word, isPrefix, vocabulary, correct, forms), vocabulary)
  if (word.isCjk) {
    const pairs = toPairs(word.text)
    return pairs.map((pair) => group(pair, isPrefix && pairs[0]!.length === 1))
  }
  const [whole] = readTerms(word.text)
  if (whole === undefined) return []
  const isKnown =
    readCount(vocabulary, whole) > 0 ||
    forms.of(whole).length > 0 ||
    (isPrefix && complete(vocabulary, whole, 1).length > 0)
  const compound = isKnown ? null : forms.split(whole)
  if (compound !== null) return compound.map((part) => group(part, false))
  const corrections = isKnown ? null : correct(whole, isPrefix)
  const parts = splitWord(corrections?.[0]?.term ?? word.text).map((part) =>
    group(part, isPrefix && !corrections && whole.endsWith(part), partWeight),
  )
  if (corrections?.length) return [toGroup(whole, false, 1, corrections, vocabulary), ...parts]
  // An unknown word without corrections is searched by its parts only.
  return corrections && parts.length > 0 ? parts : [group(whole, isPrefix), ...parts]
}

/** Parts and tails of an identifier, without the whole and without stems. */
function splitWord(word: string): string[] {
  const terms = readTerms(word)
  return terms.slice(1).filter((term, at) => term !== stem(terms[at]!))
}

/** The word itself, its completions, or its corrections, most likely first. */
function findAlternatives(
  word: string,
  isPrefix: boolean,
  vocabulary: Vocabulary,
  correct: Corrector,
  forms: Forms,
): Correction[] {
  const own = readCount(vocabulary, word) > 0 ? [{ term: word, weight: 1 }] : []
  if (!isPrefix) {
    for (const term of forms.of(word)) if (term !== word) own.push({ term, weight: stemWeight })
    return own.length > 0 ? own : correct(word, false)
  }
  const completed = complete(vocabulary, word, completionsByLetters[word.length] ?? completions)
  // The fewer letters are missing, the more likely the completion.
  const toWeight = (term: string) => (own.length > 0 ? 0.5 : 0.6 + 0.4 * (word.length / term.length))
  const others = completed.filter((term) => term !== own[0]?.term)
  return [...own, ...others.map((term) => ({ term, weight: toWeight(term) }))]
}

/** A word without alternatives is its own alternative. */
function toGroup(
  word: string,
  isPrefix: boolean,
  weight: number,
  found: Correction[],
  vocabulary: Vocabulary,
): Group {
  const terms = found.length > 0 ? found : [{ term: word, weight: 1 }]
  const alternatives = new Map(terms.map(({ term, weight }) => [term, weight]))
  // Stems of completions would find the same units.
  for (const { term, weight } of isPrefix ? [] : terms) {
    const root = stem(term)
    if (!alternatives.has(root)) alternatives.set(root, weight * stemWeight)
  }
  const idf = toIdf(vocabulary.units, readCount(vocabulary, terms[0]!.term))
  return { word, isStop: false, isPrefix, weight, alternatives, idf }
}

/** Inverse document frequency as in BM25, never negative. */
export function toIdf(units: number, withTerm: number): number {
  return Math.log(1 + (units - withTerm + 0.5) / (withTerm + 0.5))
}

/** All groups except stop words, unless there are only those. */
export function contentGroups(groups: Group[]): Group[] {
  const content = groups.filter(({ isStop }) => !isStop)
  return content.length > 0 ? content : groups
}

/** Replaces the alternatives of a known word of a question by all its forms. */
function toRoot(group: Group, vocabulary: Vocabulary, forms: Forms): Group {
  const found = forms.of(group.word)
  const roots = found.length > 0 ? found : [stem(group.word)]
  const count = roots.reduce((sum, root) => sum + readCount(vocabulary, root), 0)
  if (group.isPrefix || count === 0) return group
  const idf = toIdf(vocabulary.units, Math.min(vocabulary.units, count))
  return { ...group, alternatives: new Map(roots.map((root) => [root, 1])), idf }
}

/** Terms of a name: the most likely alternatives of each word first. Stop words only if there are no others. */
function likelyTerms(groups: Group[]): string[] {
  const lists = contentGroups(groups).map(({ alternatives }) =>
    [...alternatives].sort((a, b) => b[1] - a[1]).map(([term]) => term),
  )
  const length = Math.max(0, ...lists.map((list) => list.length))
  const terms = Array.from({ length }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
  return [...new Set(terms)].slice(0, maxTerms)
}

/** Maximum postings to read, as a share of the project's units. Common words beyond it are omitted. */
const maxRead = 0.2
/** Minimum of that limit, for small projects. */
const alwaysRead = 1_000

/** Terms of a question: the rarest first, within the limit of postings. */
function rarestTerms(groups: Group[], vocabulary: Vocabulary): string[] {
  const all = new Set(groups.flatMap(({ alternatives }) => [...alternatives.keys()]))
  const counts = [...all].map((term) => ({ term, count: readCount(vocabulary, term) }))
  const budget = Math.max(alwaysRead, maxRead * vocabulary.units)
  const chosen: string[] = []
  let read = 0
  for (const { term, count } of counts.sort((a, b) => a.count - b.count)) {
    if (count === 0 || (chosen.length > 0 && read + count > budget)) continue
    read += count
    chosen.push(term)
  }
  return chosen
}
