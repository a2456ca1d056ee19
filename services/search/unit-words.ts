// Where the words of a unit's text stand, and their terms.
import { termsOf, toPairs } from '../index/analyze.ts'
import { hashTerm } from '../index/term-hash.ts'
import { memoizeUnit } from '../index/unit-terms.ts'
import { toWords } from '../index/words.ts'

export interface UnitWords {
  /** As hashTerm has them, in the order of the text. */
  terms: Int32Array
  /** Of each term, its word. */
  word: Uint32Array
  /** Of each word, its place in the text, in UTF-16 units. */
  starts: Uint32Array
  ends: Uint32Array
}

export const wordsOfUnit = memoizeUnit(({ text }): UnitWords => {
  const words = toWords(text)
  const terms: number[] = []
  const word: number[] = []
  for (const [at, { text: written, isCjk }] of words.entries()) {
    for (const term of isCjk ? toPairs(written) : termsOf(written)) {
      terms.push(hashTerm(term))
      word.push(at)
    }
  }
  return {
    terms: Int32Array.from(terms),
    word: Uint32Array.from(word),
    starts: Uint32Array.from(words, ({ start }) => start),
    ends: Uint32Array.from(words, ({ end }) => end),
  }
})
