// The port for daily counts: how often each key was counted, by day (UTC) and measure, within limits.

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

/** Counts follow the stored rows: what is erased no longer counts. '' stands for rows without a key. */
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
