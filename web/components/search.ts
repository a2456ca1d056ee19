// A search as components use it: its state, and what a reader does. The newest question wins: it aborts the
// one before.
import { type Api, ApiFailure, type SearchResult } from './api.ts'
import { createStore, type ReadonlyStore } from './plain-store.ts'
import {
  countResults,
  createSearchState,
  limits,
  reduceSearch,
  type SearchEvent,
  type SearchState,
} from './search-state.ts'

export interface Search {
  state: ReadonlyStore<SearchState>
  /** Searches, or goes back to the start for an empty query. */
  ask(query: string, filter?: string): Promise<void>
  /** Loads more of the same results, once. A failure leaves them as they are. */
  loadMore(): Promise<void>
  choose(active: number): void
  /** Opens the first result as soon as the search that is under way has it. */
  openFirst(): void
  /** Aborts what is under way. */
  close(): void
}

/** An element that shows something of a search, and follows its state. */
export interface SearchPart {
  element: HTMLElement
  /** Called at first, and after each change. */
  update(state: SearchState): void
  destroy?(): void
}

export interface SearchOptions {
  api: Pick<Api, 'search'>
  /** What was typed before the search was loaded is kept. */
  query?: string
  filter?: string
}

export function createSearch({ api, ...initial }: SearchOptions): Search {
  const state = createStore(createSearchState(initial))
  let current: AbortController | null = null

  const send = (event: SearchEvent) => {
    state.value = reduceSearch(state.value, event)
  }

  function load(limit: number): Promise<SearchResult[]> {
    current?.abort()
    current = new AbortController()
    const { query, filter } = state.value
    return api.search({ query: query.trim(), filter, limit }, current.signal)
  }

  return {
    state,

    async ask(query, filter = state.value.filter) {
      send({ type: 'ask', query, filter })
      const { asked, phase } = state.value
      if (phase === 'idle') return current?.abort()
      try {
        send({ type: 'results', asked, results: await load(limits.first) })
      } catch (failure) {
        if (failure instanceof ApiFailure) send({ type: 'failed', asked, failure })
        else if (!isAbort(failure)) throw failure
      }
    },

    async loadMore() {
      const { asked, phase, groups } = state.value
      if (phase !== 'done' || countResults(groups) !== limits.first) return
      const results = await load(limits.max).catch(() => [])
      send({ type: 'more', asked, results })
    },

    choose: (active) => send({ type: 'choose', active }),
    openFirst: () => send({ type: 'open first' }),
    close: () => current?.abort(),
  }
}

function isAbort(failure: unknown): boolean {
  return failure instanceof DOMException && failure.name === 'AbortError'
}
