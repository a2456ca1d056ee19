// What an unknown word may have meant, from the project's own vocabulary.
import { endOf, placeOf, type Vocabulary, weightOf } from './vocabulary.ts'

export interface Correction {
  term: string
  /** 0 to 1: weight of a match of it beside a match of what was typed. */
  weight: number
}

/** Letters from which on one error, and two, are looked for. */
const lettersForOne = 4
const lettersForTwo = 8
/** Corrections of one query: each may read the whole vocabulary, and no real query has more wrong words. */
const maxCorrected = 8
const maxMeanings = 4

export type Corrector = (word: string, asPrefix: boolean) => Correction[]

/** Corrects the words of one query: each once, and only the first few. */
export function createCorrector(vocabulary: Vocabulary): Corrector {
  const corrected = new Map<string, Correction[]>()
  return (word, asPrefix) => {
    if (word.length < lettersForOne) return []
    const key = `${word} ${asPrefix}`
    const known = corrected.get(key)
    if (known !== undefined || corrected.size === maxCorrected) return known ?? []
    const found = correct(vocabulary, word, asPrefix, maxMeanings)
    corrected.set(key, found)
    return found
  }
}

/**
 * The likeliest terms near `word`, best first: fewest errors, then how common. A wrong first letter is looked for with
 * one error only, and only when nothing else is near. `asPrefix`: the reader may still be typing.
 */
function correct(vocabulary: Vocabulary, word: string, asPrefix: boolean, limit: number): Correction[] {
  const max = word.length >= lettersForTwo ? 2 : word.length >= lettersForOne ? 1 : 0
  for (let errors = 1; errors <= max; errors++) {
    const near = nearWithFirstLetter(vocabulary, word, errors, false)
    if (near.length > 0) return best(vocabulary, word, near, limit)
    const any = errors === 1 ? findNear(vocabulary.terms, word, 1) : []
    if (any.length > 0) return best(vocabulary, word, any, limit)
    const begun = asPrefix ? nearWithFirstLetter(vocabulary, word, errors, true) : []
    if (begun.length > 0) return best(vocabulary, word, begun, limit)
  }
  return []
}

/** Terms that begin with the first letter typed, or with the second where the two may be swapped. */
function nearWithFirstLetter({ terms }: Vocabulary, word: string, errors: number, asPrefix: boolean): Near[] {
  const letters = new Set([word[0]!, word[1]!])
  return [...letters].flatMap((letter) =>
    findNear(terms, word, errors, { asPrefix, from: placeOf(terms, letter), to: endOf(terms, letter) }),
  )
}

function best(vocabulary: Vocabulary, word: string, near: Near[], limit: number): Correction[] {
  const likely = ({ place, errors }: Near) =>
    weightOf(vocabulary, place) - 6 * errors - 0.3 * Math.abs(vocabulary.terms[place]!.length - word.length)
  return near
    .map((each) => ({ ...each, likely: likely(each) }))
    .sort((a, b) => b.likely - a.likely)
    .slice(0, limit)
    .map(({ place, errors }) => ({ term: vocabulary.terms[place]!, weight: 0.8 ** errors }))
}

export interface Near {
  place: number
  errors: number
}

/** Longer words are not corrected. */
const longest = 40

/**
 * Terms between `from` and `to` at most `limit` errors from `word`; with `asPrefix`, terms of which some beginning is.
 */
export function findNear(
  terms: string[],
  word: string,
  limit: number,
  { asPrefix = false, from = 0, to = terms.length } = {},
): Near[] {
  const width = word.length + 1
  if (word.length > longest) return []
  const depthLimit = word.length + limit
  const rows = new Uint8Array((depthLimit + 2) * width)
  for (let column = 0; column < width; column++) rows[column] = column
  const found: Near[] = []
  let before = ''
  let depth = 0

  for (let place = from; place < to; ) {
    const term = terms[place]!
    if (term.length < word.length - limit || (!asPrefix && term.length > depthLimit)) {
      place++
      continue
    }
    depth = Math.min(depth, sharedLength(before, term, depth))
    before = term
    const max = Math.min(term.length, depthLimit)
    let alive = true
    while (depth < max && alive) alive = fillRow(rows, ++depth, term, word) <= limit
    const begun = asPrefix ? minOfPrefixes(rows, depth, width) : limit + 1
    if (!alive && begun > limit) {
      place = skip(terms, term.slice(0, depth), place, to)
      depth--
      continue
    }
    const whole = alive && term.length === depth ? rows[depth * width + word.length]! : limit + 1
    const errors = Math.min(begun, whole)
    if (errors <= limit) found.push({ place, errors })
    place++
  }
  return found
}

/** Fills the row for the first `depth` letters of the term; answers its smallest number. */
function fillRow(rows: Uint8Array, depth: number, term: string, word: string): number {
  const width = word.length + 1
  const row = depth * width
  const above = row - width
  const letter = term.charCodeAt(depth - 1)
  const letterBefore = depth > 1 ? term.charCodeAt(depth - 2) : -1
  let min = depth
  rows[row] = depth
  for (let column = 1; column < width; column++) {
    const typed = word.charCodeAt(column - 1)
    let value = rows[above + column - 1]! + (typed === letter ? 0 : 1)
    value = Math.min(value, rows[above + column]! + 1, rows[row + column - 1]! + 1)
    if (column > 1 && typed === letterBefore && word.charCodeAt(column - 2) === letter) {
      value = Math.min(value, rows[above - width + column - 2]! + 1)
    }
    rows[row + column] = value
    if (value < min) min = value
  }
  return min
}

function minOfPrefixes(rows: Uint8Array, depth: number, width: number): number {
  let min = 255
  for (let at = 0; at <= depth; at++) min = Math.min(min, rows[at * width + width - 1]!)
  return min
}

function sharedLength(a: string, b: string, max: number): number {
  let shared = 0
  while (shared < max && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++
  return shared
}

/** Place of the first term from `place` on that does not begin with `prefix`: in growing steps, then by halves. */
function skip(terms: string[], prefix: string, place: number, to: number): number {
  let step = 1
  while (place + step < to && terms[place + step]!.startsWith(prefix)) step *= 2
  let low = place + (step >> 1)
  let high = Math.min(to, place + step)
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (terms[middle]!.startsWith(prefix)) low = middle
    else high = middle
  }
  return high
}
