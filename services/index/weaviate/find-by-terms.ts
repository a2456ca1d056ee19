// Finds units by terms as the embedded driver does (segments/find-by-terms.ts): BM25F with length normalisation of the body alone.
// Weaviate's BM25 over one property comes near it (see toTerms), normalising all fields; so more are asked for than wanted, and
// put in order by what their terms are worth there and here.
//
//   term once in the heading of a unit three times as long as the mean · there 2 / (2 + 1.2 · 2.5) = .4, score 2.0
//   here 2 / (2 + 1.2) = .63 · its score is 2.0 · .63 / .4 = 3.1

import type { Hit, TermQuery, Unit } from '../search-index.ts'
import { countBody, countHeading, countTitle, lengthStep, worthTable } from '../segments/posting.ts'
import { createTermTable } from '../term-hash.ts'
import { termsOfUnit } from '../unit-terms.ts'
import { b, k1 } from './collections.ts'
import type { KnownUnits } from './known-units.ts'
import type { Lengths } from './lengths.ts'
import { toWanted } from './stored-unit.ts'
import type { Tenant } from './tenant.ts'

/** So many more are asked for at most. */
const maxMore = 128

export async function findByTerms(
  tenant: Tenant,
  query: TermQuery,
  known: KnownUnits,
  lengths: Promise<Lengths>,
): Promise<Hit[]> {
  const terms = [...new Set(query.terms)]
  const asked = query.limit + Math.min(2 * query.limit, maxMore)
  const [found, means] = await Promise.all([
    tenant.findByTerms('terms', terms, toWanted(query.filter), asked),
    lengths,
  ])
  const units = await known.of(
    tenant,
    found.map(({ id }) => id),
  )
  const scoreOf = createScore(terms, query, means)
  return found
    .flatMap(({ id, score }) => {
      const unit = units.get(id)
      return unit ? [{ unit, score: scoreOf(unit, score) }] : []
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, query.limit)
}

/**
 * What a unit scores here. Where the query says what its words weigh, that is all there is to it. Else Weaviate's score, which has how
 * rare each term is, is taken by as much as the terms, counted alike, are worth more here than there.
 */
function createScore(terms: string[], { weights, words }: TermQuery, means: Lengths) {
  const table = worthTable(weights, means.bodyStep)
  const places = createTermTable(terms.map((term, at) => [term, at]))
  const all = new Uint32Array(terms.length)
  const packed = new Uint32Array(terms.length)
  const fields = [
    { field: 'title', times: 1, count: countTitle },
    { field: 'headings', times: 2, count: countHeading },
    { field: 'body', times: 1, count: countBody },
  ] as const
  const placesOf = new Map(terms.map((term, at) => [term, at]))
  const alternatives = words?.map(({ weight, alternatives }) =>
    [...alternatives].flatMap(([term, share]) => {
      const place = placesOf.get(term)
      return place === undefined ? [] : [{ place, weight: weight * share }]
    }),
  )
  return (unit: Unit, score: number): number => {
    const held = termsOfUnit(unit)
    all.fill(0)
    packed.fill(0)
    for (const { field, times, count } of fields) {
      places.visit(held[field], (place) => {
        all[place]! += times
        packed[place] = count(packed[place]!)
      })
    }
    const step = lengthStep(held.body.length) << 8
    if (alternatives !== undefined) {
      const best = (word: { place: number; weight: number }[]) =>
        word.reduce((most, { place, weight }) => Math.max(most, weight * table[step | packed[place]!]!), 0)
      return alternatives.reduce((sum, word) => sum + best(word), 0)
    }
    const length = held.title.length + 2 * held.headings.length + held.body.length
    const norm = k1 * (1 - b + (b * length) / means.terms)
    let here = 0
    let there = 0
    for (let at = 0; at < terms.length; at++) {
      if (all[at] === 0) continue
      there += all[at]! / (all[at]! + norm)
      here += table[step | packed[at]!]!
    }
    return there === 0 ? 0 : (score * here) / there
  }
}
