// Where the words of a unit's text stand, and their terms.
import { termsOf, toPairs } from '../index/analyze.ts'
import { hashTerm } from '../index/term-hash.ts'
import { memoizeUnit } from '../index/unit-terms.ts'
import { eachWord } from '../index/words.ts'

interface UnitWords {
  /** As hashTerm has them, in the order of the text. */
  terms: Int32Array
  /** Of each term, the place of its word in the text, in UTF-16 units. */
  starts: Uint32Array
  ends: Uint32Array
}

export const wordsOfUnit = memoizeUnit(({ text }): UnitWords => {
  const terms: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  eachWord(text, (start, end, isCjk) => {
    const word = text.slice(start, end)
    for (const term of isCjk ? toPairs(word) : termsOf(word)) {
      terms.push(hashTerm(term))
      starts.push(start)
      ends.push(end)
    }
  })
  return { terms: new Int32Array(terms), starts: new Uint32Array(starts), ends: new Uint32Array(ends) }
})
