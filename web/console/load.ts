// Reads data for a view. Aborts when the view is left, and pauses in a hidden tab.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError, Values } from './api.ts'
import type { List } from './rows.ts'
import { api } from './session.ts'

export interface Loaded<T> {
  /** Null until it is loaded. Keeps the last value during a reload. */
  value: T | null
  error: ApiError | null
  reload(): void
}

/**
 * Reads when the view opens and when `inputs` change. `everyMs`: polling interval, while the tab is visible, counted from the
 * last response.
 */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  everyMs: number | null = null,
): Loaded<T> {
  const [state, setState] = useState<{ value: T | null; error: ApiError | null }>({
    value: null,
    error: null,
  })
  const [turn, setTurn] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const reading = useRef<AbortController | null>(null)

  useEffect(() => {
    const leave = new AbortController()
    reading.current = leave
    const end = (change: (last: typeof state) => typeof state) => {
      if (leave.signal.aborted) return
      reading.current = null
      setState(change)
    }
    latest.current(leave.signal).then(
      (value) => end(() => ({ value, error: null })),
      (error) => end(({ value }) => ({ value, error })),
    )
    return () => leave.abort()
  }, [...inputs, turn])

  const reload = () => setTurn((last) => last + 1)
  // A reload aborts the pending read, so polling must not reload: a slow response would never arrive.
  useEvery(everyMs, () => reading.current ?? reload())
  return { ...state, reload }
}

/** Reads all rows of a list, a hundred at a time. */
export async function readAll<T>(path: string, query: Values = {}, signal?: AbortSignal): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const page = { ...query, limit: 100, offset: all.length }
    const { count, results } = await api.get<List<T>>(path, page, signal)
    all.push(...results)
    if (results.length === 0 || all.length >= count) return all
  }
}

/** At least two seconds. Null: never. */
export function useEvery(everyMs: number | null, act: () => void): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    if (everyMs === null) return
    const timer = setInterval(() => !document.hidden && latest.current(), Math.max(2_000, everyMs))
    const see = () => !document.hidden && latest.current()
    document.addEventListener('visibilitychange', see)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', see)
    }
  }, [everyMs])
}

/** Debounces `value`, for filters that are typed. */
export function useSettled<T>(value: T, ms = 250): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
