// Adds up days of counts. A year of searches is half a million numbers, so keys are hashes in a table of numbers; only those
// that are shown get their text back.
import type { CountedDays, DayCounts } from '../store/day-counts.ts'

export interface KeyCount {
  key: string
  count: number
}

export interface Totals {
  /** Keys that are not '', those of several days once. */
  readonly unique: number
  readonly sum: number
  add(day: DayCounts): void
  /** The most frequent ones. `day` is one on which the key was counted. */
  top(limit: number): { hash: number; count: number; day: string }[]
}

/** A power of two, as all sizes are. */
const firstSize = 1_024

export function createTotals(): Totals {
  const days: string[] = []
  let [hashes, counts, places] = tables(firstSize)
  let [unique, sum] = [0, 0]

  /** Where the hash stands, or the free place where it belongs; free ones have 0. */
  function placeOf(hash: number): number {
    const last = hashes.length - 1
    let place = hash & last
    while (hashes[place] !== 0 && hashes[place] !== hash) place = (place + 1) & last
    return place
  }

  function grow() {
    const before = [hashes, counts, places] as const
    ;[hashes, counts, places] = tables(2 * hashes.length)
    for (const [n, hash] of before[0].entries()) {
      if (hash === 0) continue
      const place = placeOf(hash)
      hashes[place] = hash
      counts[place] = before[1][n]!
      places[place] = before[2][n]!
    }
  }

  return {
    get unique() {
      return unique
    },
    get sum() {
      return sum
    },
    add(day) {
      const at = days.push(day.day) - 1
      for (let n = 0; n < day.hashes.length; n++) {
        const hash = day.hashes[n]!
        const count = day.counts[n]!
        sum += count
        if (hash === 0) continue
        const place = placeOf(hash)
        if (hashes[place] === 0) {
          hashes[place] = hash
          unique++
        }
        counts[place]! += count
        places[place] = at
        if (2 * unique > hashes.length) grow()
      }
    },
    top(limit) {
      const best: number[] = []
      for (let place = 0; place < hashes.length; place++) {
        if (hashes[place] === 0) continue
        if (best.length === limit && counts[place]! <= counts[best.at(-1)!]!) continue
        let at = best.length
        while (at > 0 && counts[best[at - 1]!]! < counts[place]!) at--
        best.splice(at, 0, place)
        if (best.length > limit) best.pop()
      }
      return best.map((place) => ({
        hash: hashes[place]!,
        count: counts[place]!,
        day: days[places[place]!]!,
      }))
    },
  }
}

/** Hashes, their counts, and the number of the day that has their text. */
const tables = (size: number) =>
  [new Float64Array(size), new Float64Array(size), new Uint32Array(size)] as const

/** What a range of days adds up to, by measure. */
interface RangeCounts<Measure extends string> {
  /** Over the range. */
  total(measure: Measure): Totals
  ofDay(day: string, measure: Measure): Pick<Totals, 'unique' | 'sum'>
  /** The most frequent keys, those of one count by their text. */
  top(measure: Measure, limit: number): Promise<KeyCount[]>
}

export async function addUp<Measure extends string>(
  store: CountedDays<Measure>,
  project: string,
  range: { startDate: string; endDate: string },
  measures: readonly Measure[],
): Promise<RangeCounts<Measure>> {
  const days = await store.counts(project, { from: range.startDate, to: range.endDate }, measures)
  const totals = new Map(measures.map((measure) => [measure, createTotals()]))
  const ofDays = new Map<string, Pick<Totals, 'unique' | 'sum'>>()
  for (const day of days) {
    totals.get(day.measure)!.add(day)
    ofDays.set(`${day.day} ${day.measure}`, {
      unique: day.hashes.length - Number(day.hashes.includes(0)),
      sum: day.counts.reduce((sum, count) => sum + count, 0),
    })
  }
  return {
    total: (measure) => totals.get(measure)!,
    ofDay: (day, measure) => ofDays.get(`${day} ${measure}`) ?? { unique: 0, sum: 0 },
    async top(measure, limit) {
      const best = totals.get(measure)!.top(limit)
      const keys = await store.countedKeys(project, [...new Set(best.map(({ day }) => day))], measure)
      // What was erased meanwhile has no text any more.
      const found = best.flatMap(({ hash, count }) => {
        const key = keys.get(hash)
        return key === undefined ? [] : [{ key, count }]
      })
      return found.sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
    },
  }
}
