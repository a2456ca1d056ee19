// Phrases between quotation marks: how many of them a unit holds.
import type { Unit } from '../index/search-index.ts'

/** Share of the quoted phrases that the unit holds, in heading or body. */
export function phraseShare(phrases: string[][], { headingTerms, bodyTerms }: Unit): number {
  if (phrases.length === 0) return 0
  const text = ` ${headingTerms} \n ${bodyTerms} `
  return phrases.filter((phrase) => holds(text, phrase)).length / phrases.length
}

/** Between two words of a phrase may stand the other terms of the first (its parts and stem). */
function holds(text: string, phrase: string[]): boolean {
  for (
    let from = text.indexOf(` ${phrase[0]} `);
    from >= 0;
    from = text.indexOf(` ${phrase[0]} `, from + 1)
  ) {
    let at = from
    const follows = phrase.slice(1).every((term) => {
      const next = text.indexOf(` ${term} `, at + 1)
      const isNear = next > at && text.slice(at, next).split(' ').length <= 6
      at = next
      return isNear
    })
    if (follows) return true
  }
  return false
}
