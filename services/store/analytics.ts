// Daily counts (UTC), and the events of searches and MCP behind them. No network addresses are stored. Chats are counted by their
// messages (chat.ts).
import { setImmediate } from 'node:timers/promises'
import { isConflict } from '../errors.ts'
import type { Rows, Table } from './rows.ts'

export interface DayRange {
  /** `YYYY-MM-DD`, inclusive. */
  from: string
  to: string
}

/** The counts of a measure on a day. */
export interface DayCount<Measure extends string = string> {
  day: string
  measure: Measure
  sum: number
  /** Number of distinct keys, without ''. */
  unique: number
}

export interface KeyCount {
  key: string
  count: number
}

/** Counts reflect the stored rows, so deleted rows do not count. Rows without a key have the key ''. */
export interface CountedDays<Measure extends string> {
  /** Sorted by day, then by measure. Omits days without counts. */
  daily(project: string, range: DayRange, measures: readonly Measure[]): Promise<DayCount<Measure>[]>
  /** Returns the number of distinct keys in the range, and the `limit` most frequent, ties sorted by text. Omits ''. */
  keys(
    project: string,
    range: DayRange,
    measure: Measure,
    limit: number,
  ): Promise<{ unique: number; top: KeyCount[] }>
}

/** Maximum distinct keys, and characters of all keys, per day and measure. Further keys count as ''. */
export const maxDayKeys = 20_000
export const maxDayText = 1_000_000

/** Sorts by count, highest first, then by text. */
export const byCount = (one: KeyCount, other: KeyCount): number =>
  other.count - one.count || (one.key < other.key ? -1 : 1)

export interface AnalyticsEvent {
  /** Set by the caller. Recording an id again changes nothing. */
  uuid: string
  project: string
  kind: 'search' | 'click' | 'session' | 'tool_call'
  at: string
  /** For `search` and `click`. */
  query: string | null
  /** For `click`: the page. */
  url: string | null
  /** For `session`: the MCP client, if known. For `tool_call`: the tool. */
  name: string | null
  /** For `search`: number of results. For `click`: position from 1, or null. For `tool_call`: 1 if it failed, else 0. */
  number: number | null
}

/** Searches, and those without results, by query; clicks by page; MCP sessions by client; tool calls, and failed ones, by tool. */
export const eventMeasures = [
  'search',
  'no_result_search',
  'click',
  'session',
  'tool_call',
  'tool_error',
] as const

export type EventMeasure = (typeof eventMeasures)[number]

export interface AnalyticsStore extends CountedDays<EventMeasure> {
  record(events: AnalyticsEvent[]): Promise<void>
  /**
   * Reads events from `from` (inclusive) to `to` (exclusive), after the event with the uuid `after`, sorted by time, then by
   * uuid.
   */
  read(
    project: string,
    range: { from: string; to: string },
    after: string | null,
    limit: number,
  ): Promise<AnalyticsEvent[]>
  /** Deletes at most `limit` events before the time, oldest first. Returns the number deleted. */
  expire(project: string, before: string, limit: number): Promise<number>
}

/** Maximum characters of a key. */
const maxKeyLength = 200

/** Cuts the text to the maximum length of a key. */
export const toKey = (text: string): string => text.slice(0, maxKeyLength).toWellFormed()

/** Normalizes case and white space of a query. */
const foldQuery = (query: string): string => toKey(query.trim().replace(/\s+/g, ' ').toLowerCase())

/** Removes the fragment of an address; '' for null. */
export const toPageKey = (url: string | null): string => url?.split('#')[0] ?? ''

/** The measures of an event, with its key. */
export function countedAs(event: Omit<AnalyticsEvent, 'project'>): [EventMeasure, string][] {
  const { kind, query, url, name, number } = event
  const measures: EventMeasure[] = [kind]
  if (kind === 'search' && number === 0) measures.push('no_result_search')
  if (kind === 'tool_call' && number === 1) measures.push('tool_error')
  const names = { search: foldQuery(query ?? ''), click: toPageKey(url) }
  const key = kind === 'search' || kind === 'click' ? names[kind] : toKey(name ?? '')
  return measures.map((measure) => [measure, key])
}

/** A day of a project. */
interface CountedDay {
  uuid: string
  project: string
  day: string
  /** Number of changes that have begun, and of those that have ended. While they differ, each read counts the rows. */
  begun: number
  ended: number
  /** `begun` when the rows were counted. */
  counted: number
}

/** The counts of a measure on a day. */
interface DayTally {
  uuid: string
  project: string
  day: string
  measure: string
  /** `begun` of the day when the rows were counted. */
  counted: number
  sum: number
  keys: string[]
  /** In the order of `keys`. */
  counts: number[]
}

export interface DayTables {
  days: Table<CountedDay>
  tallies: Table<DayTally>
}

export const toDayTables = (name: string): DayTables => ({
  days: {
    name: `${name}_counted_day`,
    fields: 'uuid project day begun:int ended:int counted:int',
    indexes: ['project'],
  },
  tallies: {
    name: `${name}_day_count`,
    fields: 'uuid project day measure counted:int sum:int keys:json counts:json',
    indexes: ['project'],
  },
})

export interface DayRows {
  days: Rows<CountedDay>
  tallies: Rows<DayTally>
  /** Whether the project exists. */
  isOpen(project: string): boolean | Promise<boolean>
}

interface DayCounter<Measure extends string> extends CountedDays<Measure> {
  /** Runs `work`, which changes rows of these times. After a crash in the middle, each read counts the affected days. */
  recount<T>(project: string, times: Iterable<string>, work: () => Promise<T>): Promise<T>
}

/** Days per read. */
const maxDays = 8
/** Maximum distinct keys of a range: some 30 MB of memory. */
const maxRangeKeys = 200_000
const dayMs = 86_400_000

const toDayId = (project: string, day: string): string => `${project} ${day}`

/**
 * Counts of rows that change. The first reader of a day counts its rows and stores the counts, which are valid until the next change
 * of the day's rows begins. `read` yields the measures and keys of the rows of a project's day.
 */
export function createDayCounts<Measure extends string>(
  { days, tallies, isOpen }: DayRows,
  read: (project: string, day: string) => AsyncIterable<[Measure, string][]>,
): DayCounter<Measure> {
  async function begin(project: string, day: string): Promise<void> {
    const uuid = toDayId(project, day)
    const isThere = () => days.increment({ uuid }, 'begun', 1)
    if (await isThere()) return
    const isNew = await days.insert({ uuid, project, day, begun: 1, ended: 0, counted: 0 })
    if (!isNew) await isThere()
  }

  /** Counts the rows of a day. Stores the counts if no change is in progress. */
  async function count(project: string, day: string, row: CountedDay | undefined): Promise<DayTally[]> {
    const uuid = toDayId(project, day)
    const { begun, ended } = row ?? { begun: 0, ended: 0 }
    const counted = (await tally(read(project, day))).map(({ measure, ...counts }) => {
      return { uuid: `${uuid} ${measure}`, project, day, measure, counted: begun, ...counts }
    })
    if (begun !== ended) return counted
    for (const each of counted) {
      const { uuid, counted, sum, keys, counts } = each
      const isStored = await tallies.set({ uuid, counted: { $lt: begun } }, { counted, sum, keys, counts })
      if (!isStored) await tallies.insert(each)
    }
    if (row) await days.set({ uuid, counted: { $lt: begun } }, { counted: begun })
    else await days.insert({ uuid, project, day, begun, ended, counted: begun })
    return counted
  }

  /** Yields each day of the range with its counts of the measures. */
  async function* readTallies(project: string, { from, to }: DayRange, measures: readonly string[]) {
    if (!(await isOpen(project))) return
    for (let first = Date.parse(from); first <= Date.parse(to); first += maxDays * dayMs) {
      const some = Array.from({ length: maxDays }, (_, n) =>
        new Date(first + n * dayMs).toISOString().slice(0, 10),
      ).filter((day) => day <= to)
      const ids = some.map((day) => toDayId(project, day))
      const rows = await days.all({ uuid: { $in: ids } }, 'uuid')
      const wanted = ids.flatMap((id) => measures.map((measure) => `${id} ${measure}`))
      const stored = await tallies.all({ uuid: { $in: wanted } }, 'uuid')
      for (const day of some) {
        const row = rows.find((each) => each.day === day)
        const isCounted = row !== undefined && row.begun === row.ended && row.begun === row.counted
        const found = isCounted
          ? stored.filter((each) => each.day === day && each.counted >= row.counted)
          : await count(project, day, row)
        yield { day, found: found.filter(({ measure }) => measures.includes(measure)) }
        await setImmediate()
      }
    }
  }

  return {
    async recount(project, times, work) {
      const changed = [...new Set(Array.from(times, (time) => time.slice(0, 10)))]
      for (const day of changed) await begin(project, day)
      async function end() {
        for (const day of changed) await days.increment({ uuid: toDayId(project, day) }, 'ended', 1)
      }
      try {
        const result = await work()
        await end()
        return result
      } catch (error) {
        // After other errors, the write may still take effect.
        if (isConflict(error)) await end()
        throw error
      }
    },
    daily: async (project, range, measures) => {
      const daily: DayCount<Measure>[] = []
      for await (const { day, found } of readTallies(project, range, measures))
        for (const measure of measures.toSorted()) {
          const counted = found.find((each) => each.measure === measure)
          if (counted === undefined) continue
          const unique = counted.keys.filter((key) => key !== '').length
          daily.push({ day, measure, sum: counted.sum, unique })
        }
      return daily
    },
    keys: async (project, range, measure, limit) => {
      const sums = new Map<string, number>()
      for await (const { found } of readTallies(project, range, [measure]))
        for (const { keys, counts } of found)
          for (const [n, key] of keys.entries())
            if (key !== '' && (sums.has(key) || sums.size < maxRangeKeys))
              sums.set(key, (sums.get(key) ?? 0) + counts[n]!)
      const counted = Array.from(sums, ([key, count]) => ({ key, count })).sort(byCount)
      return { unique: sums.size, top: counted.slice(0, limit) }
    },
  }
}

async function tally(read: AsyncIterable<readonly (readonly [string, string])[]>) {
  const byMeasure = new Map<string, { counts: Map<string, number>; text: number }>()
  for await (const counted of read)
    for (const [measure, key] of counted) {
      const of = byMeasure.get(measure) ?? { counts: new Map(), text: 0 }
      byMeasure.set(measure, of)
      const isNew = key !== '' && !of.counts.has(key)
      const hasRoom = of.counts.size < maxDayKeys && of.text + key.length <= maxDayText
      const countedKey = isNew && !hasRoom ? '' : key
      if (isNew && hasRoom) of.text += key.length
      of.counts.set(countedKey, (of.counts.get(countedKey) ?? 0) + 1)
    }
  return Array.from(byMeasure, ([measure, { counts }]) => {
    const numbers = [...counts.values()]
    const sum = numbers.reduce((total, each) => total + each, 0)
    return { measure, sum, keys: [...counts.keys()], counts: numbers }
  })
}
