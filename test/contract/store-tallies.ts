// The counts in a store, by day, measure and key, in a readable form.
import assert from 'node:assert/strict'
import type { CountedDays } from '../../services/store/analytics.ts'

export interface DayTally {
  day: string
  counts: Record<string, Record<string, number>>
}

export async function talliesOf<Measure extends string>(
  store: CountedDays<Measure>,
  project: string,
  range: { from: string; to: string },
  measures: readonly Measure[],
): Promise<DayTally[]> {
  const found = new Map<string, DayTally>()
  for (const { day, measure, sum, unique } of await store.daily(project, range, measures)) {
    const keys = await store.keys(project, { from: day, to: day }, measure, 100)
    assert.equal(keys.unique, unique)
    const named = keys.top.map(({ key, count }) => [key, count] as const)
    const rest = sum - named.reduce((total, [, count]) => total + count, 0)
    const tally = found.get(day) ?? { day, counts: {} }
    found.set(day, tally)
    tally.counts[measure] = Object.fromEntries(rest === 0 ? named : [...named, ['', rest]])
  }
  return [...found.values()]
}

export const keysOf = async <Measure extends string>(
  store: CountedDays<Measure>,
  day: string,
  measure: Measure,
): Promise<string[]> =>
  (await store.keys('p1', { from: day, to: day }, measure, 100)).top.map(({ key }) => key)
