// Finds units by terms as the embedded driver does (segments/find-by-terms.ts): BM25F with length normalisation of the body alone.
// Weaviate's BM25 over one property comes near it (see toTerms), normalising all fields; so more are asked for than wanted, and
// put in order by what their terms are worth there and here.
//
//   term once in the heading of a unit three times as long as the mean · there 2 / (2 + 1.2 · 2.5) = .4, score 2.0
//   here 2 / (2 + 1.2) = .63 · its score is 2.0 · .63 / .4 = 3.1

import type { Hit, TermQuery } from '../search-index.ts'
import { countBody, countHeading, countTitle, lengthStep, worthTable } from '../segments/posting.ts'
import { normalisation, saturation } from './collections.ts'
import type { Lengths } from './lengths.ts'
import { linesOfTerms, type StoredUnit, toUnit, toWanted, unitNames } from './stored-unit.ts'
import type { Tenant } from './tenant.ts'
import { countWanted } from './wanted-terms.ts'

/** So many more are asked for at most. */
const mostMore = 32

export async function findByTerms(
  units: Tenant,
  query: TermQuery,
  lengths: Promise<Lengths>,
): Promise<Hit[]> {
  const terms = [...new Set(query.terms)]
  const asked = query.limit + Math.min(query.limit, mostMore)
  const [found, means] = await Promise.all([
    units.findByTerms('terms', terms, toWanted(query.filter), asked, unitNames),
    lengths,
  ])
  const worth = createWorth(terms, query.weights, means)
  return found
    .map(({ properties, score }) => ({ properties, score: score * worth(properties.terms!) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, query.limit)
    .map(({ properties, score }) => ({ unit: toUnit(properties as unknown as StoredUnit), score }))
}

/**
 * How much more than for Weaviate the terms of a unit are worth here. Terms count alike in it, for Weaviate does not tell how rare
 * each is; its own score has that.
 */
function createWorth(terms: string[], weights: TermQuery['weights'], means: Lengths) {
  const table = worthTable(weights, means.bodyStep)
  const count = countWanted(terms, linesOfTerms)
  return (stored: string): number => {
    const { counts, lengths } = count(stored)
    const [title, heading, again, body] = counts as [Uint16Array, Uint16Array, Uint16Array, Uint16Array]
    const [titleLength, headingLength, againLength, bodyLength] = lengths as [number, number, number, number]
    const step = lengthStep(bodyLength)
    const length = titleLength + headingLength + againLength + bodyLength
    const norm = saturation * (1 - normalisation + (normalisation * length) / means.terms)
    let here = 0
    let there = 0
    for (let at = 0; at < terms.length; at++) {
      const all = title[at]! + heading[at]! + again[at]! + body[at]!
      if (all === 0) continue
      there += all / (all + norm)
      here += table[(step << 8) | pack(title[at]!, heading[at]!, body[at]!)]!
    }
    return there === 0 ? 0 : here / there
  }
}

function pack(title: number, heading: number, body: number): number {
  let counts = title > 0 ? countTitle(0) : 0
  for (let at = 0; at < heading; at++) counts = countHeading(counts)
  for (let at = 0; at < body; at++) counts = countBody(counts)
  return counts
}
