// Finds units by terms: BM25 over one property that holds the three fields by their weights (see toTerms).
import type { Hit, TermQuery, Unit } from '../search-index.ts'
import { indexWeights, toUnit, toWanted, unitNames } from './stored-unit.ts'
import type { Tenant } from './tenant.ts'

type Weights = TermQuery['weights']

export async function findByTerms(units: Tenant, query: TermQuery): Promise<Hit[]> {
  const terms = [...new Set(query.terms)]
  const found = await units.findByTerms('terms', terms, toWanted(query.filter), query.limit, unitNames)
  const hits = found.map(({ properties, score }) => ({ unit: toUnit(properties as never), score }))
  return isOfIndex(query.weights) ? hits : weighAnew(hits, terms, query.weights)
}

/** Whether weights stand to each other as those that the index is made with. */
function isOfIndex({ title, heading, body }: Weights): boolean {
  return title * indexWeights.heading === heading * indexWeights.title && title === body
}

/**
 * Other weights than those of the index: what is found stays, and is put in order by how much more or less its terms weigh. Terms
 * count alike here, for Weaviate does not tell how rare each is.
 *
 *   term once in the heading · weight 2 in the index, 2 / 3.2 = .63 · 9 in the query, 9 / 10.2 = .88 · score × 1.41
 */
function weighAnew(hits: Hit[], terms: string[], weights: Weights): Hit[] {
  const wanted = new Set(terms)
  return hits
    .map(({ unit, score }) => ({
      unit,
      score: (score * worth(unit, wanted, weights)) / worth(unit, wanted, indexWeights),
    }))
    .sort((a, b) => b.score - a.score)
}

const saturation = 1.2

function worth(unit: Unit, wanted: Set<string>, { title, heading, body }: Weights): number {
  const sums = new Map<string, number>()
  const add = (terms: string, weight: number) => {
    for (const term of terms.split(' ')) if (wanted.has(term)) sums.set(term, (sums.get(term) ?? 0) + weight)
  }
  add(unit.titleTerms, title)
  add(unit.headingTerms, heading)
  add(unit.bodyTerms, body)
  return [...sums.values()].reduce((all, sum) => all + sum / (sum + saturation), 0)
}
