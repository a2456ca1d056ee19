// Buffers events and writes them to the store once a second. Counts completed queries, not keystrokes: a query that extends,
// shortens or repeats the same caller's query of the last five seconds replaces it.
import type { AnalyticsEvent, AnalyticsStore } from '../store/analytics.ts'

const settleAfter = 5_000
const writeEvery = 1_000
/** Maximum callers with a pending query. Beyond it, the oldest query is counted immediately. */
const maxCallers = 10_000
/** Maximum events buffered while the store is unavailable. Beyond it, the oldest are dropped. */
const maxUnwritten = 10_000
/** Maximum events per project, day and process. Further events are dropped. */
const maxDayEvents = 1_000_000

export type SearchRecorder = ReturnType<typeof openSearchRecorder>

interface Waiting {
  event: AnalyticsEvent
  since: number
}

export function openSearchRecorder(
  store: AnalyticsStore,
  now: () => number,
  report: (error: unknown) => void,
) {
  const waiting = new Map<string, Waiting>()
  let ready: AnalyticsEvent[] = []
  /** Number of events on the most recent day, by project. */
  const days = new Map<string, { day: string; count: number }>()
  /** Serializes writes. Events of a failed write are retried with the next. */
  let writing: Promise<void> = Promise.resolve()

  function add(event: AnalyticsEvent) {
    const day = event.at.slice(0, 10)
    const known = days.get(event.project)
    const count = known?.day === day ? known.count + 1 : 1
    days.set(event.project, { day, count })
    if (count <= maxDayEvents) ready.push(event)
  }

  function settle(key: string, { event }: Waiting) {
    waiting.delete(key)
    add(event)
  }

  function write(): Promise<void> {
    writing = writing.catch(() => {}).then(writeReady)
    return writing
  }

  async function writeReady() {
    const events = ready
    ready = []
    if (events.length === 0) return
    try {
      await store.record(events)
    } catch (error) {
      // Retried with the next write. The store ignores events that it already has.
      ready = [...events, ...ready].slice(-maxUnwritten)
      throw error
    }
  }

  const timer = setInterval(() => {
    for (const [key, entry] of waiting) if (now() - entry.since >= settleAfter) settle(key, entry)
    write().catch(report)
  }, writeEvery)
  timer.unref()

  return {
    /** Records a search, unless its query is blank. `caller` identifies the reader and stays in memory. */
    searched(caller: string, event: AnalyticsEvent): void {
      if (event.query?.trim() === '') return
      const key = `${event.project} ${caller}`
      const before = waiting.get(key)
      const isRecent = before !== undefined && now() - before.since < settleAfter
      if (before && !(isRecent && continues(before.event.query ?? '', event.query ?? ''))) settle(key, before)
      waiting.delete(key)
      waiting.set(key, { event, since: now() })
      const [oldest] = waiting
      if (waiting.size > maxCallers && oldest) settle(...oldest)
    },

    /** Records any other event. */
    record: add,

    /** Writes all pending events. */
    async close() {
      clearInterval(timer)
      for (const entry of waiting) settle(...entry)
      await write()
    },
  }
}

/** Whether one query is a prefix of the other: `how to` and `how to run`. */
function continues(before: string, after: string): boolean {
  const [one, other] = [before.trim().toLowerCase(), after.trim().toLowerCase()]
  return one.startsWith(other) || other.startsWith(one)
}
