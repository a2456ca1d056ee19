// The terms of a project, counted by reading all its units: Weaviate does not tell its dictionary. Linear in the units.
import type { Vocabulary } from '../search-index.ts'
import { readTerms } from './stored-unit.ts'
import type { Tenant } from './tenant.ts'

export async function countTerms(tenant: Tenant): Promise<Vocabulary> {
  const places = new Map<string, number>()
  const counts: number[] = []
  const inHeadings: number[] = []
  /** The unit that counted the term last. */
  const countedBy: number[] = []
  const inHeadingBy: number[] = []
  let units = 0

  const count = (terms: string, by: number[], sums: number[]) => {
    for (const term of terms.split(' ')) {
      if (term === '') continue
      let place = places.get(term)
      if (place === undefined) {
        place = places.size
        places.set(term, place)
        counts.push(0)
        inHeadings.push(0)
        countedBy.push(0)
        inHeadingBy.push(0)
      }
      if (by[place] === units) continue
      by[place] = units
      sums[place]!++
    }
  }

  for await (const some of tenant.walk(['terms'])) {
    for (const { properties } of some) {
      const { titleTerms, headingTerms, bodyTerms } = readTerms(properties.terms!)
      units += 1
      count(titleTerms, countedBy, counts)
      count(headingTerms, countedBy, counts)
      count(bodyTerms, countedBy, counts)
      count(headingTerms, inHeadingBy, inHeadings)
    }
  }
  const terms = [...places.keys()].sort()
  return {
    units,
    terms,
    counts: Uint32Array.from(terms, (term) => counts[places.get(term)!]!),
    inHeadings: Uint32Array.from(terms, (term) => inHeadings[places.get(term)!]!),
  }
}
