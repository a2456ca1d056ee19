// Phrases between quotation marks: how many of them a unit holds.
import type { Unit } from '../index/search-index.ts'

/** Terms from one word of a phrase to the next: between them may stand the other terms of the first (its parts and stem). */
const maxGap = 5
/** Places of a phrase's first word that are looked at in a unit; in prose it has no more. */
const maxPlaces = 100

/** Share of the quoted phrases that the unit holds, in heading or body. */
export function phraseShare(phrases: string[][], { headingTerms, bodyTerms }: Unit): number {
  if (phrases.length === 0) return 0
  // No term is empty: between two spaces stands none, so that no phrase goes on from the heading to the body.
  const text = `${headingTerms}  ${bodyTerms}`
  const likely = phrases.filter((phrase) => phrase.every((term) => text.includes(term)))
  if (likely.length === 0) return 0
  const terms = text.split(' ')
  return likely.filter((phrase) => holds(terms, phrase)).length / phrases.length
}

/** Each place is looked at for as many terms as the phrase has, however often its words come. */
function holds(terms: string[], phrase: string[]): boolean {
  let first = -1
  for (let places = 0; places < maxPlaces; places++) {
    first = terms.indexOf(phrase[0]!, first + 1)
    if (first < 0) return false
    let at = first
    const follows = phrase.slice(1).every((term) => {
      const before = at++
      while (terms[at] !== term && at - before < maxGap) at++
      return terms[at] === term
    })
    if (follows) return true
  }
  return false
}
