// Gets candidates from the index: units that hold any of the query's terms, of page versions that readers see.
import type { Hit, SearchIndex, UnitFilter } from '../index/search-index.ts'
import type { PageStore } from '../store/page.ts'
import type { Understood } from './understand.ts'

/** So many candidates are ranked against each other. */
export const firstStage = 64
/** More are fetched only where too many of the first are dropped or more results are asked for. */
const stages = [firstStage, 1_000]
const mostTerms = 48
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
  query: Understood,
  wanted: Wanted,
): Promise<Hit[]> {
  const terms = termsOf(query)
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

/** Likeliest meanings of each word first; words that carry no subject only when there are no others. */
function termsOf({ groups }: Understood): string[] {
  const telling = groups.filter(({ isStop, isPrefix }) => !isStop || (isPrefix && groups.length === 1))
  const chosen = telling.length > 0 ? telling : groups
  const lists = chosen.map(({ alternatives }) =>
    [...alternatives].sort((a, b) => b[1] - a[1]).map(([term]) => term),
  )
  const terms = new Set<string>()
  for (let at = 0; at < Math.max(0, ...lists.map((list) => list.length)); at++) {
    for (const list of lists) if (list[at] !== undefined && terms.size < mostTerms) terms.add(list[at]!)
  }
  return [...terms]
}
