// Analytics events as they are counted. No raw IP address is stored.

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
  /** Erases events of before `before`, oldest first and at most `limit`; answers how many went. */
  expire(project: string, before: string, limit: number): Promise<number>
}
