// Events on their way to the store, a second's together. Searches count as a reader meant them: a query that continues or shortens the same caller's query of the last
// five seconds takes its place, and the same query again counts once.
import type { AnalyticsEvent, AnalyticsStore } from '../store/analytics.ts'

const meantAfter = 5_000
const writeEvery = 1_000
/** Callers remembered at once; beyond it the oldest query counts as meant. */
const maxCallers = 10_000
/** Maximum events kept while the store is unavailable; then the oldest are dropped. */
const maxUnwritten = 10_000
/** Events of a project that a process stores a day; later ones do not count. */
const maxDayEvents = 1_000_000

export interface SearchRecorder {
  /** `caller` distinguishes readers; it is kept in memory only. */
  searched(caller: string, event: AnalyticsEvent): void
  /** Counts anything else. */
  record(event: AnalyticsEvent): void
  /** Writes everything that is still waiting. */
  close(): Promise<void>
}

interface Waiting {
  event: AnalyticsEvent
  since: number
}

export function openSearchRecorder(
  store: AnalyticsStore,
  now: () => number,
  report: (error: unknown) => void,
): SearchRecorder {
  const waiting = new Map<string, Waiting>()
  let ready: AnalyticsEvent[] = []
  /** Events of the last day that each project had any. */
  const days = new Map<string, { day: string; count: number }>()
  /** One after the other: what fails is written with what comes next. */
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
      // Again with the next ones: an event that was written nevertheless counts once.
      ready = [...events, ...ready].slice(-maxUnwritten)
      throw error
    }
  }

  const timer = setInterval(() => {
    for (const [key, entry] of waiting) if (now() - entry.since >= meantAfter) settle(key, entry)
    write().catch(report)
  }, writeEvery)
  timer.unref()

  return {
    searched(caller, event) {
      const key = `${event.project} ${caller}`
      const before = waiting.get(key)
      const goesOn = before !== undefined && now() - before.since < meantAfter
      if (before && !(goesOn && continues(before.event.query ?? '', event.query ?? ''))) settle(key, before)
      waiting.delete(key)
      waiting.set(key, { event, since: now() })
      const [oldest] = waiting
      if (waiting.size > maxCallers && oldest) settle(...oldest)
    },

    record: add,

    async close() {
      clearInterval(timer)
      for (const entry of waiting) settle(...entry)
      await write()
    },
  }
}

/** `how to` → `how to run`, and back; the same query again. */
function continues(before: string, after: string): boolean {
  const [one, other] = [before.trim().toLowerCase(), after.trim().toLowerCase()]
  return one.startsWith(other) || other.startsWith(one)
}
