// Finds units by terms as the embedded driver does (segments/find-by-terms.ts): BM25F with length normalisation of the body alone.
// Weaviate's BM25 over one property comes near it (see toTerms), normalising all fields and knowing nothing of words; so more are
// asked for than wanted, and put in order by what their terms are worth here.

import type { Hit, TermQuery, Unit } from '../search-index.ts'
import { countBody, countHeading, countTitle, lengthStep, scoreTable } from '../segments/posting.ts'
import { createTermTable } from '../term-hash.ts'
import { termsOfUnit } from '../unit-terms.ts'
import type { KnownUnits } from './known-units.ts'
import { toWanted } from './stored-unit.ts'
import type { Tenant } from './tenant.ts'

/** So many more are asked for at most. */
const maxMore = 128

export async function findByTerms(
  tenant: Tenant,
  query: TermQuery,
  known: KnownUnits,
  meanStep: Promise<number>,
): Promise<Hit[]> {
  const terms = [...new Set(query.terms)]
  const asked = query.limit + Math.min(2 * query.limit, maxMore)
  const [found, mean] = await Promise.all([
    tenant.findByTerms('terms', terms, toWanted(query.filter), asked),
    meanStep,
  ])
  const units = await known.of(
    tenant,
    found.map(({ id }) => id),
  )
  const scoreOf = createScore(terms, query, mean)
  return found
    .flatMap(({ id }) => {
      const unit = units.get(id)
      return unit ? [{ unit, score: scoreOf(unit) }] : []
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, query.limit)
}

/** What a unit scores: the sum of what each word's best term is worth in it. */
function createScore(terms: string[], { words }: TermQuery, meanStep: number) {
  const table = scoreTable(meanStep)
  const placesOf = new Map(terms.map((term, at) => [term, at]))
  const places = createTermTable(placesOf)
  const packed = new Uint32Array(terms.length)
  const fields = [
    { field: 'title', count: countTitle },
    { field: 'headings', count: countHeading },
    { field: 'body', count: countBody },
  ] as const
  const alternatives = words.map(({ weight, alternatives }) =>
    [...alternatives].flatMap(([term, share]) => {
      const place = placesOf.get(term)
      return place === undefined ? [] : [{ place, weight: weight * share }]
    }),
  )
  return (unit: Unit): number => {
    const held = termsOfUnit(unit)
    packed.fill(0)
    for (const { field, count } of fields) {
      places.visit(held[field], (place) => {
        packed[place] = count(packed[place]!)
      })
    }
    const step = lengthStep(held.body.length) << 8
    const best = (word: { place: number; weight: number }[]) =>
      word.reduce((most, { place, weight }) => Math.max(most, weight * table[step | packed[place]!]!), 0)
    return alternatives.reduce((sum, word) => sum + best(word), 0)
  }
}
