// The rows of a long list, read in pages of a hundred as they come into view. Pages that are out of view for long are released.
import { createStore, type ReadonlyStore } from '../../components/store.ts'
import type { ApiError } from '../api.ts'
import type { List } from '../rows.ts'

export interface PagedState<T> {
  /** Null until the first page is loaded. */
  count: number | null
  error: ApiError | null
  /** Pages by number, of up to a hundred rows. */
  pages: ReadonlyMap<number, T[]>
}

export interface PagedRows<T> {
  state: ReadonlyStore<PagedState<T>>
  row(at: number): T | undefined
  /** Reads the missing ones of these rows. */
  show(first: number, last: number): void
  /** Reloads the rows in view, and the count. */
  refresh(): void
  close(): void
}

export const pageSize = 100
const maxPages = 40

type Read<T> = (page: { limit: number; offset: number }, signal: AbortSignal) => Promise<List<T>>

export function createPagedRows<T>(read: Read<T>): PagedRows<T> {
  const state = createStore<PagedState<T>>({ count: null, error: null, pages: new Map() })
  const closing = new AbortController()
  const reading = new Set<number>()
  let view: [first: number, last: number] = [0, 0]

  async function readPage(number: number) {
    if (reading.has(number)) return
    reading.add(number)
    try {
      const { count, results } = await read({ limit: pageSize, offset: number * pageSize }, closing.signal)
      if (closing.signal.aborted) return
      const pages = new Map(state.value.pages)
      pages.delete(number)
      pages.set(number, results)
      for (const old of pages.keys()) if (pages.size > maxPages && !isSeen(old)) pages.delete(old)
      state.value = { count, error: null, pages }
    } catch (error) {
      if (!closing.signal.aborted) state.value = { ...state.value, error: error as ApiError }
    } finally {
      reading.delete(number)
    }
  }

  function isSeen(number: number) {
    const [first, last] = view
    return number >= first && number <= last
  }

  return {
    state,
    row: (at) => state.value.pages.get(Math.floor(at / pageSize))?.[at % pageSize],
    show(first, last) {
      view = [Math.floor(first / pageSize), Math.floor(Math.max(first, last) / pageSize)]
      for (let number = view[0]; number <= view[1]; number++)
        if (!state.value.pages.has(number)) void readPage(number)
    },
    refresh() {
      for (let number = view[0]; number <= view[1]; number++) void readPage(number)
    },
    close: () => closing.abort(),
  }
}
