import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTally, hashOf, unpack } from '../store/day-counts.ts'
import { createTotals } from './totals.ts'

const dayOf = (day: string, keys: string[]) => {
  const tally = createTally<'search'>()
  tally.add(keys.map((key) => ['search', key] as const))
  return [...tally.pack()].map(([measure, { sums }]) => unpack(day, measure, sums))
}

test('days add up to what their keys say, however many there are', () => {
  const key = fc.oneof(fc.constant(''), fc.nat(3_000).map(String))
  fc.assert(
    fc.property(fc.array(fc.array(key, { maxLength: 2_000 }), { maxLength: 4 }), (days) => {
      const totals = createTotals()
      for (const [n, keys] of days.entries()) for (const day of dayOf(String(n), keys)) totals.add(day)
      const wanted = new Map<string, number>()
      for (const each of days.flat()) wanted.set(each, (wanted.get(each) ?? 0) + 1)
      expect(totals.sum).toBe(days.flat().length)
      wanted.delete('')
      expect(totals.unique).toBe(wanted.size)
      const best = totals.top(10)
      expect(best.map(({ count }) => count)).toEqual([...wanted.values()].sort((a, b) => b - a).slice(0, 10))
      const byHash = new Map([...wanted].map(([each, count]) => [hashOf(each), count]))
      for (const { hash, count, day } of best) {
        expect(byHash.get(hash)).toBe(count)
        expect(days[Number(day)]!.map(hashOf)).toContain(hash)
      }
    }),
    { numRuns: 30 },
  )
})
