// The state of a search, and the pure functions that change it.
import type { ApiFailure, SearchQuery, SearchResult } from './api.ts'

/** Results shown at first, and after scrolling to the end: the maximum of a search. */
export const limits = { first: 30, max: 50 }

export interface RankedResult extends SearchResult {
  /** Rank, from 1. */
  position: number
}

/** The results of a page. */
export interface PageGroup {
  page: string
  title: string
  isFile: boolean
  results: RankedResult[]
}

export interface SearchState {
  /** As typed. */
  query: string
  /** Title of the chosen filter, or ''. */
  filter: string
  /** `idle`: no query. */
  phase: 'idle' | 'searching' | 'done' | 'failed'
  /** Number of the newest query. Responses to older ones are dropped. */
  asked: number
  groups: PageGroup[]
  /** The query that the groups answer. */
  answered: string
  /** Index of the chosen result in display order, or -1. */
  active: number
  /** Whether Enter was pressed before the response arrived. Its first result is then opened. */
  opensFirst: boolean
  failure: ApiFailure | null
}

export type SearchEvent =
  | { type: 'ask'; query: string; filter: string }
  | { type: 'results'; asked: number; results: SearchResult[] }
  /** More results of the same query. */
  | { type: 'more'; asked: number; results: SearchResult[] }
  | { type: 'failed'; asked: number; failure: ApiFailure }
  | { type: 'choose'; active: number }
  | { type: 'open first' }

export function createSearchState({ query = '', filter = '' }: Partial<SearchQuery> = {}): SearchState {
  return {
    query,
    filter,
    phase: 'idle',
    asked: 0,
    groups: [],
    answered: '',
    active: -1,
    opensFirst: false,
    failure: null,
  }
}

/** Old results stay until new ones arrive. The empty query has no results. */
export function reduceSearch(state: SearchState, event: SearchEvent): SearchState {
  if ('asked' in event && event.asked !== state.asked) return state
  switch (event.type) {
    case 'ask': {
      const { query, filter } = event
      const next = { ...state, query, filter, asked: state.asked + 1, active: -1, opensFirst: false }
      if (query.trim() !== '') return { ...next, phase: 'searching' }
      return { ...next, phase: 'idle', groups: [], answered: '', failure: null }
    }
    case 'results': {
      const groups = groupByPage(event.results)
      return { ...state, phase: 'done', groups, answered: state.query.trim(), failure: null }
    }
    case 'more':
      return { ...state, groups: appendResults(state.groups, event.results) }
    case 'failed': {
      const groups = event.failure.kind === 'away' ? state.groups : []
      return { ...state, phase: 'failed', groups, active: -1, opensFirst: false, failure: event.failure }
    }
    case 'choose':
      return { ...state, active: event.active }
    case 'open first':
      return { ...state, opensFirst: state.phase === 'searching' }
  }
}

/** Groups in the order of each page's best result. A result keeps its rank, from 1 or after `shown` others. */
export function groupByPage(results: SearchResult[], shown = 0): PageGroup[] {
  const groups = new Map<string, PageGroup>()
  for (const [index, result] of results.entries()) {
    const [page = ''] = result.url.split('#')
    const group = groups.get(page) ?? {
      page,
      title: result.page_title,
      isFile: result.source_type === 'file',
      results: [],
    }
    groups.set(page, group)
    group.results.push({ ...result, position: shown + index + 1 })
  }
  return [...groups.values()]
}

/** Appends new results, so that existing ones keep their places. */
export function appendResults(groups: PageGroup[], results: SearchResult[]): PageGroup[] {
  const existing = new Set(groups.flatMap((group) => group.results.map(({ url }) => url)))
  const count = countResults(groups)
  const more = results.filter(({ url }) => !existing.has(url)).slice(0, limits.max - count)
  return [...groups, ...groupByPage(more, count)]
}

export function countResults(groups: PageGroup[]): number {
  return groups.reduce((sum, group) => sum + group.results.length, 0)
}

export function countPages(groups: PageGroup[]): number {
  return new Set(groups.map(({ page }) => page)).size
}

/** Whether there may be more results than are shown. */
export function isLimit(count: number): boolean {
  return count === limits.first || count === limits.max
}

/** The index that a key chooses among `count` results. Null for other keys. */
export function moveChoice(key: string, active: number, count: number): number | null {
  if (count === 0) return null
  if (key === 'ArrowDown') return active + 1 >= count ? 0 : active + 1
  if (key === 'ArrowUp') return active <= 0 ? count - 1 : active - 1
  if (active < 0) return null
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return null
}
