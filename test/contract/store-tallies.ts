// What a store has counted, by day, measure and key, as people read it.
import type { CountedDays } from '../../services/store/day-counts.ts'

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
  for (const { day, measure, hashes, counts } of await store.counts(project, range, measures)) {
    const texts = await store.countedKeys(project, [day], measure)
    const tally = found.get(day) ?? { day, counts: {} }
    found.set(day, tally)
    tally.counts[measure] = Object.fromEntries(
      [...hashes].map((hash, n) => [texts.get(hash) ?? 'erased', counts[n]!]),
    )
  }
  return [...found.values()]
}

export const keysOf = async <Measure extends string>(
  store: CountedDays<Measure>,
  day: string,
  measure: Measure,
): Promise<string[]> => [...(await store.countedKeys('p1', [day], measure)).values()]
