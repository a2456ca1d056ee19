// Analytics events, and what they add up to by day. No raw IP address is stored.

export interface AnalyticsEvent {
  /** Given by the caller; the same id again changes nothing. */
  uuid: string
  team: string
  project: string
  kind: 'search' | 'click'
  at: string
  query: string | null
  url: string | null
  /** Search: number of results. Click: position from 1, or null. */
  number: number | null
}

/** Search: all of them by query, and those without a result. Click: by page, '' where none was told. */
export type Measure = 'search' | 'no_result_search' | 'click'

/** How often each thing was counted on a day in UTC: measure → key → count. Days without events are left out. */
export interface DayTally {
  /** `YYYY-MM-DD`. */
  day: string
  counts: Partial<Record<Measure, Record<string, number>>>
}

export interface AnalyticsStore {
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
  /**
   * What the events of a project add up to on the days from `from` to `to`, both included and in order: always as
   * countedAs (below) counts the events that are there, those erased left out.
   */
  tallies(project: string, range: { from: string; to: string }): Promise<DayTally[]>
  /** Erases events of before `before`, oldest first and at most `limit`; answers how many went. */
  expire(project: string, before: string, limit: number): Promise<number>
}

export const dayOf = ({ at }: Pick<AnalyticsEvent, 'at'>): string => at.slice(0, 10)

/** Queries that differ in case and space only are one. */
export const foldQuery = (query: string): string => query.trim().replace(/\s+/g, ' ').toLowerCase()

/** What an event counts as: a measure, and its key there. */
export function countedAs(event: AnalyticsEvent): [Measure, string][] {
  if (event.kind === 'click') return [['click', event.url?.split('#')[0] ?? '']]
  const query = foldQuery(event.query ?? '')
  return event.number === 0
    ? [
        ['search', query],
        ['no_result_search', query],
      ]
    : [['search', query]]
}
