// Daily counts (UTC), and the events of searches and MCP that are counted. No raw IP address is stored. Chats are counted
// from their messages (chat.ts).

export interface DayRange {
  /** `YYYY-MM-DD`; both are included. */
  from: string
  to: string
}

/** The counts of a day by one measure. */
export interface DayCount<Measure extends string = string> {
  day: string
  measure: Measure
  sum: number
  /** Number of different keys, '' left out. */
  unique: number
}

export interface KeyCount {
  key: string
  count: number
}

/** Counts follow the stored rows: erased rows do not count. '' is the key of rows without one. */
export interface CountedDays<Measure extends string> {
  /** By day, in order, then by measure; days without counts are left out. */
  daily(project: string, range: DayRange, measures: readonly Measure[]): Promise<DayCount<Measure>[]>
  /** Keys over a range: how many different ones, and the `limit` most frequent, ties in the order of their text. '' is left out. */
  keys(
    project: string,
    range: DayRange,
    measure: Measure,
    limit: number,
  ): Promise<{ unique: number; top: KeyCount[] }>
}

/** Limits a day and measure: different keys, and the characters of all of them. Further keys count under ''. */
export const maxDayKeys = 20_000
export const maxDayText = 1_000_000

/** The most frequent keys first, those of one count by their text. */
export const byCount = (one: KeyCount, other: KeyCount): number =>
  other.count - one.count || (one.key < other.key ? -1 : 1)

export interface AnalyticsEvent {
  /** Given by the caller; the same id again changes nothing. */
  uuid: string
  team: string
  project: string
  kind: 'search' | 'click' | 'session' | 'tool_call'
  at: string
  /** Search and click. */
  query: string | null
  /** Click: the page. */
  url: string | null
  /** Session: the MCP client, null where it does not say. Tool call: the tool. */
  name: string | null
  /** Search: number of results. Click: position from 1, or null. Tool call: 1 where it failed, else 0. */
  number: number | null
}

/** Searches by query, and those without a result; clicks by page; MCP sessions by client; tool calls and those that failed, by tool. */
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
   * Events of a project from `from` (included) to `to` (excluded), oldest first, those of one moment by uuid, from
   * after the event with the uuid `after`.
   */
  read(
    project: string,
    range: { from: string; to: string },
    after: string | null,
    limit: number,
  ): Promise<AnalyticsEvent[]>
  /** Erases events of before `before`, oldest first and at most `limit`; answers how many went. */
  expire(project: string, before: string, limit: number): Promise<number>
}

/** Maximum characters that distinguish a query or question, and of a name. */
const maxKeyLength = 200

/** The text as a key of counts: at most 200 characters. */
export const toKey = (text: string): string => text.slice(0, maxKeyLength).toWellFormed()

/** Queries that differ in case and space only are one. */
export const foldQuery = (query: string): string => toKey(query.trim().replace(/\s+/g, ' ').toLowerCase())

/** A page's address without its fragment; '' for none. */
export const toPageKey = (url: string | null): string => url?.split('#')[0] ?? ''

/** What an event counts as: measures, and its key there. */
export function countedAs(event: Omit<AnalyticsEvent, 'project'>): [EventMeasure, string][] {
  const { kind, query, url, name, number } = event
  const measures: EventMeasure[] = [kind]
  if (kind === 'search' && number === 0) measures.push('no_result_search')
  if (kind === 'tool_call' && number === 1) measures.push('tool_error')
  const names = { search: foldQuery(query ?? ''), click: toPageKey(url) }
  const key = kind === 'search' || kind === 'click' ? names[kind] : toKey(name ?? '')
  return measures.map((measure) => [measure, key])
}
