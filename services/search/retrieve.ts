// Gets candidates from the index: units that hold any of the query's terms, of page versions that readers see.
import type { Hit, SearchIndex, Unit, UnitFilter } from '../index/search-index.ts'
import type { PageStore } from '../store/page.ts'
import type { ParsedQuery } from './understand.ts'

/** So many candidates are ranked against each other. */
export const firstStage = 64
/** More are fetched only where too many of the first are dropped or more results are asked for. */
const stages = [firstStage, 1_000]

/** Id of the first unit of the same page. */
function openingOf({ page, version }: Unit): string {
  return `${page}:${version}:0`
}

export interface RetrieveDeps {
  index: SearchIndex
  pages: Pick<PageStore, 'current'>
}

export interface Wanted {
  filter: UnitFilter
  /** Whether a page may be shown at all. */
  admits(url: string): boolean
  /** Fewer candidates than this, and more are fetched. */
  enough: number
}

export async function retrieve(
  deps: RetrieveDeps,
  project: string,
  { terms, groups }: ParsedQuery,
  wanted: Wanted,
): Promise<Hit[]> {
  if (terms.length === 0) return []
  const words = groups.map(({ idf, weight, alternatives }) => ({ weight: idf * weight, alternatives }))
  let kept: Hit[] = []
  for (const limit of stages) {
    const hits = await deps.index.findByTerms(project, {
      terms,
      words,
      filter: wanted.filter,
      limit,
    })
    kept = await readable(deps, hits, wanted)
    if (kept.length >= wanted.enough || hits.length < limit) break
  }
  return kept
}

/** Those of admitted pages, in the version that readers see. */
export async function readable({ pages }: RetrieveDeps, hits: Hit[], { admits }: Wanted): Promise<Hit[]> {
  const admitted = hits.filter(({ unit }) => admits(unit.url))
  const current = await pages.current([...new Set(admitted.map(({ unit }) => unit.page))])
  return admitted.filter(({ unit }) => current.get(unit.page) === unit.version)
}

/** The first units of the hits' pages, by the page's UUID. */
export async function openings(
  { index }: RetrieveDeps,
  project: string,
  hits: Hit[],
): Promise<Map<string, Unit>> {
  const first = hits.map(({ unit }) => unit).filter(({ ordinal }) => ordinal === 0)
  const known = new Map(first.map((unit) => [unit.page, unit]))
  const missing = new Set(hits.filter(({ unit }) => !known.has(unit.page)).map(({ unit }) => openingOf(unit)))
  for (const unit of missing.size > 0 ? await index.units(project, [...missing]) : [])
    known.set(unit.page, unit)
  return known
}
