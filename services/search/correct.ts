// What an unknown word may have meant, from the project's own vocabulary.
import { findNear, type Near } from './fuzzy.ts'
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
