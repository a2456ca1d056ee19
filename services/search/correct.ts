// Corrections of an unknown word, from the project's own vocabulary.
import { fold, stem, toWords } from '../index/analyze.ts'
import { unknownWords } from './forms.ts'
import { findEnd, findPlace, readWeight, type Vocabulary } from './vocabulary.ts'

export interface Correction {
  term: string
  /** Weight of a match, 0 to 1. A match of the typed word has weight 1. */
  weight: number
}

/** Minimum letters of a word to correct one error, and two. */
const lettersForOne = 4
const lettersForTwo = 8
/** Maximum corrected words of a query, because each may scan the whole vocabulary. */
const maxCorrected = 8
const maxMeanings = 4

export type Corrector = (word: string, asPrefix: boolean) => Correction[]

/** Corrects the words of one query: each once, up to the limit. */
export function createCorrector(vocabulary: Vocabulary): Corrector {
  const corrected = new Map<string, Correction[]>()
  return (word, asPrefix) => {
    if (word.length < lettersForOne) return []
    const key = `${word} ${asPrefix}`
    const cached = corrected.get(key)
    if (cached !== undefined || corrected.size === maxCorrected) return cached ?? []
    const result = correct(vocabulary, word, asPrefix)
    corrected.set(key, result)
    return result
  }
}

/**
 * The most likely terms near `word`, best first: fewest errors, then most common. A wrong first letter is corrected only if it is
 * the only error and nothing else is near. `asPrefix`: the reader may still be typing.
 */
function correct(vocabulary: Vocabulary, word: string, asPrefix: boolean): Correction[] {
  const max = word.length >= lettersForTwo ? 2 : 1
  for (let errors = 1; errors <= max; errors++) {
    let near = nearWithFirstLetter(vocabulary, word, errors, false)
    if (near.length === 0 && errors === 1) near = nearWithOtherFirstLetter(vocabulary, word)
    if (near.length === 0 && asPrefix) near = nearWithFirstLetter(vocabulary, word, errors, true)
    if (near.length > 0) return chooseLikeliest(vocabulary, word, near)
  }
  return []
}

/** Terms that begin with the first letter of the word, or with the second, since the two may be swapped. */
function nearWithFirstLetter({ terms }: Vocabulary, word: string, errors: number, asPrefix: boolean): Near[] {
  const letters = new Set([word[0]!, word[1]!])
  return [...letters].flatMap((letter) =>
    findNear(terms, word, errors, { asPrefix, from: findPlace(terms, letter), to: findEnd(terms, letter) }),
  )
}

/** Terms with a different or an additional first letter. */
function nearWithOtherFirstLetter({ terms }: Vocabulary, word: string): Near[] {
  const found: Near[] = []
  let place = 0
  while (place < terms.length) {
    const letter = terms[place]![0]!
    for (const term of [letter + word.slice(1), letter + word]) {
      const at = findPlace(terms, term)
      if (terms[at] === term) found.push({ place: at, errors: 1 })
    }
    place = findEnd(terms, letter)
  }
  return found
}

function chooseLikeliest(vocabulary: Vocabulary, word: string, near: Near[]): Correction[] {
  const toLikelihood = ({ place, errors }: Near) =>
    readWeight(vocabulary, place) - 6 * errors - 0.3 * Math.abs(vocabulary.terms[place]!.length - word.length)
  return near
    .map((each) => ({ ...each, likelihood: toLikelihood(each) }))
    .sort((a, b) => b.likelihood - a.likelihood)
    .slice(0, maxMeanings)
    .map(({ place, errors }) => ({ term: vocabulary.terms[place]!, weight: 0.8 ** errors }))
}

export interface Near {
  place: number
  errors: number
}

/** Longer words are not corrected. */
const maxLetters = 40
/** The last three rows of the distance table. */
const rows = Array.from({ length: 3 }, () => new Uint8Array(maxLetters + 1))

/**
 * Terms between `from` and `to` within `limit` errors of `word`. `asPrefix`: terms with a prefix within `limit` errors.
 */
export function findNear(
  terms: string[],
  word: string,
  limit: number,
  { asPrefix = false, from = 0, to = terms.length } = {},
): Near[] {
  const found: Near[] = []
  if (word.length > maxLetters) return found
  for (let place = from; place < to; place++) {
    const term = terms[place]!
    if (term.length < word.length - limit || (!asPrefix && term.length > word.length + limit)) continue
    const errors = countErrors(term, word, limit, asPrefix)
    if (errors <= limit) found.push({ place, errors })
  }
  return found
}

/**
 * Counts letters omitted, added, changed, or swapped with a neighbor (optimal string alignment; Lowrance and Wagner 1975). The
 * result is only exact up to `limit`. `asPrefix`: counts for the prefix of the term with the fewest errors.
 */
function countErrors(term: string, word: string, limit: number, asPrefix: boolean): number {
  const length = Math.min(term.length, word.length + limit)
  for (let column = 0; column <= word.length; column++) rows[0]![column] = column
  let min = 0
  let best = word.length
  for (let depth = 1; depth <= length && min <= limit; depth++) {
    const [row, above, twoAbove] = [rows[depth % 3]!, rows[(depth + 2) % 3]!, rows[(depth + 1) % 3]!]
    row[0] = depth
    min = depth
    for (let column = 1; column <= word.length; column++) {
      const isSame = term.charCodeAt(depth - 1) === word.charCodeAt(column - 1)
      let errors = Math.min(above[column - 1]! + (isSame ? 0 : 1), above[column]! + 1, row[column - 1]! + 1)
      if (depth > 1 && column > 1 && isSwapped(term, depth, word, column))
        errors = Math.min(errors, twoAbove[column - 2]! + 1)
      row[column] = errors
      min = Math.min(min, errors)
    }
    best = Math.min(best, row[word.length]!)
  }
  if (asPrefix) return best
  return min <= limit ? rows[length % 3]![word.length]! : limit + 1
}

function isSwapped(term: string, depth: number, word: string, column: number): boolean {
  return (
    term.charCodeAt(depth - 1) === word.charCodeAt(column - 2) &&
    term.charCodeAt(depth - 2) === word.charCodeAt(column - 1)
  )
}

/** A corrected word of a question. */
export interface Typo {
  typed: string
  term: string
}

/** Minimum units that contain a correction, in a large project: a rarer term may be a typo itself. */
const minUnits = 3
const largeUnits = 1_000
/** Minimum letters for a certain correction: of two errors, of one, and of swapped or doubled letters, which rarely make another word. */
const minLetters = { two: 11, one: 6, slip: 5 }
/** Minimum lead over any other correction, on the scale of `readWeight`. */
const minMargin = 3

/**
 * Corrects the typos of a question: `build an executible` → `build an executable`. Corrects only unknown words of letters, and
 * only if one correction is certain. Otherwise the search uses all corrections, but the word remains unknown. Quoted text
 * and code are not corrected.
 */
export function correctQuestion(q: string, vocabulary: Vocabulary): { q: string; corrections: Typo[] } {
  const exact = [...q.matchAll(/"[^"]*"|`[^`]*`/gu)].map(({ index, 0: text }) => [index, index + text.length])
  const unknown = new Set(unknownWords(q, vocabulary))
  const corrections: Typo[] = []
  let corrected = ''
  let read = 0
  for (const { text, start } of toWords(q)) {
    const [word] = /^\p{L}+(?=[.:']*$)/u.exec(text) ?? []
    const isExact = exact.some(([from, to]) => start > from! && start < to!)
    if (word === undefined || isExact || !unknown.has(fold(word)) || corrections.length === maxCorrected)
      continue
    const term = findCertain(fold(word), vocabulary)
    if (term === null) continue
    corrected += q.slice(read, start) + term
    read = start + word.length
    if (!corrections.some((known) => known.term === term)) corrections.push({ typed: word, term })
  }
  return { q: corrected + q.slice(read), corrections }
}

/** Words that differ at an end are more often other forms or other words than typos: `planner` is not `planned`. */
function findCertain(word: string, vocabulary: Vocabulary): string | null {
  const { terms, counts, units } = vocabulary
  const near = nearWithFirstLetter(vocabulary, word, word.length >= minLetters.two ? 2 : 1, false)
    .map((each) => ({ ...each, term: terms[each.place]!, weight: readWeight(vocabulary, each.place) }))
    .filter(({ term }) => /^\p{L}+$/u.test(term))
    .sort((a, b) => a.errors - b.errors || b.weight - a.weight)
  const [best] = near
  if (best === undefined || word.length < minLetters.slip) return null
  if (units >= largeUnits && counts[best.place]! < minUnits) return null
  const equal = near.filter(({ errors }) => errors === best.errors)
  const isAlike = ({ term }: { term: string }) => stem(term) === stem(best.term)
  const other = equal.find((each) => !isAlike(each))
  if (other && other.weight > best.weight - minMargin) return null
  // A stem is more common than its words: `handel` is `handle` rather than `handl`.
  const { term } = equal.find((each) => isAlike(each) && isSlip(word, each.term)) ?? best
  const hasSameEnds = word[0] === term[0] && word.at(-1) === term.at(-1)
  return (word.length >= minLetters.one && hasSameEnds) || isSlip(word, term) ? term : null
}

/** `tabel` for `table`, `comit` for `commit`, `filee` for `file`. */
function isSlip(word: string, term: string): boolean {
  const undouble = (text: string) => text.replace(/(\p{L})\1/gu, '$1')
  const sort = (text: string) => [...text].sort().join('')
  return undouble(word) === undouble(term) || sort(word) === sort(term)
}
