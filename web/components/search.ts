// A search: its state, and the actions of a reader. The newest query wins: it aborts the one
// before.
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
  /** Searches. An empty query returns to the start. */
  ask(query: string, filter?: string): Promise<void>
  /** Loads more results of the same query, once. A failure changes nothing. */
  loadMore(): Promise<void>
  choose(active: number): void
  /** Opens the first result as soon as the pending search has it. */
  openFirst(): void
  /** Aborts pending requests. */
  close(): void
}

/** An element that shows a part of a search's state. */
export interface SearchPart {
  element: HTMLElement
  /** Called once at the start, and after each change. */
  update(state: SearchState): void
  destroy?(): void
}

export interface SearchOptions {
  api: Pick<Api, 'search'>
  /** Text that was typed before the search was loaded. */
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
