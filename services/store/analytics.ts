// Daily counts (UTC), and the events of searches and MCP behind them. No network addresses are stored. Chats are counted by their
// messages (chat.ts).

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
export const foldQuery = (query: string): string => toKey(query.trim().replace(/\s+/g, ' ').toLowerCase())

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
