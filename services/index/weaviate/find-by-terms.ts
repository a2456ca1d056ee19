// Finds units by terms. Weaviate's BM25 over one property (see toTerms) knows nothing of words and their weights, so more
// units are asked for than wanted, and put in the order of the port: per word, the best term counts.
import type { Hit, TermQuery, Unit } from '../search-index.ts'
import { countBody, countHeading, countTitle, lengthStep, scoreTable } from '../segments/posting.ts'
import { createTermTable, termsOfUnit } from '../unit-terms.ts'
import { type KnownUnits, toWanted } from './stored-unit.ts'
import type { Tenant } from './tenant.ts'

/** This many more are asked for at most. */
const maxMore = 128

export async function findByTerms(tenant: Tenant, query: TermQuery, known: KnownUnits): Promise<Hit[]> {
  const terms = [...new Set(query.words.flat().map(({ term }) => term))]
  const limit = query.limit + Math.min(2 * query.limit, maxMore)
  const found = await tenant.findByTerms('terms', terms, toWanted(query.filter), limit)
  const units = await known.read(
    tenant,
    found.map(({ id }) => id),
  )
  // Weaviate does not report the average body length; the candidates' average replaces it.
  const averageStep = units.reduce((sum, unit) => sum + toStep(unit), 0) / units.length
  const score = createScore(terms, query, scoreTable(averageStep))
  return units
    .map((unit) => ({ unit, score: score(unit) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, query.limit)
}

const toStep = (unit: Unit) => lengthStep(termsOfUnit(unit).body.length)

/** What a unit scores: for each word, the score of its best term. */
function createScore(terms: string[], { words }: TermQuery, table: Float32Array) {
  const numbers = new Map(terms.map((term, number) => [term, number]))
  const numbersByHash = createTermTable(numbers)
  const counts = new Uint32Array(terms.length)
  const fields = [
    { field: 'title', count: countTitle },
    { field: 'headings', count: countHeading },
    { field: 'body', count: countBody },
  ] as const
  const numbered = words.map((word) =>
    word.map(({ term, weight }) => ({ number: numbers.get(term)!, weight })),
  )
  return (unit: Unit): number => {
    const unitTerms = termsOfUnit(unit)
    const step = toStep(unit) << 8
    counts.fill(0)
    for (const { field, count } of fields) {
      numbersByHash.visit(unitTerms[field], (number) => {
        counts[number] = count(counts[number]!)
      })
    }
    const best = (word: { number: number; weight: number }[]) =>
      Math.max(0, ...word.map(({ number, weight }) => weight * table[step | counts[number]!]!))
    return numbered.reduce((sum, word) => sum + best(word), 0)
  }
}
