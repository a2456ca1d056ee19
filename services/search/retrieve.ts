// Gets candidates from the index: units that hold any of the query's terms, of page versions that readers see.
import type { Hit, SearchIndex, UnitFilter } from '../index/search-index.ts'
import type { PageStore } from '../store/page.ts'
import type { Understood } from './understand.ts'

/** So many candidates are ranked against each other. */
export const firstStage = 64
/** More are fetched only where too many of the first are dropped or more results are asked for. */
const stages = [firstStage, 1_000]
const weights = { title: 1, heading: 2, body: 1 }

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
  { terms }: Understood,
  wanted: Wanted,
): Promise<Hit[]> {
  if (terms.length === 0) return []
  let kept: Hit[] = []
  for (const limit of stages) {
    const hits = await deps.index.findByTerms(project, { terms, weights, filter: wanted.filter, limit })
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
