// Limits of daily counts, and long reads.
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { project } from '../../../test/contract/store-case.ts'
import type { AnalyticsEvent } from '../analytics.ts'
import type { Store } from '../store.ts'
import { openSqliteStore } from './sqlite-store.ts'

const day = '2026-01-02'
const range = { from: day, to: day }

let made = 0
const searched = (query: string, at = day): AnalyticsEvent => ({
  ...{ uuid: `e${made++}`, project: 'p1', kind: 'search', at: `${at}T00:00:00.000Z` },
  ...{ query, url: null, name: null, number: 1 },
})

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  await store.projects.insert(project())
})
afterEach(() => store.close())

test('counts 20,000 keys of a measure per day, and later ones only in the sum', async () => {
  const queries = Array.from({ length: 20_010 }, (_, n) => `${n}`)
  await store.analytics.record(queries.map((query) => searched(query)))
  await store.analytics.record([searched('3'), searched('new')])
  const [counted] = await store.analytics.daily('p1', range, ['search'])
  expect(counted).toMatchObject({ sum: 20_012, unique: 20_000 })
  const { unique, top } = await store.analytics.keys('p1', range, 'search', 2)
  expect({ unique, top }).toEqual({
    unique: 20_000,
    top: [
      { key: '3', count: 2 },
      { key: '0', count: 1 },
    ],
  })
})

test('lets other work run between the steps of a long read', async () => {
  const queries = Array.from({ length: 16_000 }, (_, n) => `${n}`)
  await store.analytics.record([...queries, '0'].map((query) => searched(query)))
  let [turns, isRead] = [0, false]
  const count = () => {
    turns++
    if (!isRead) setImmediate(count)
  }
  setImmediate(count)
  const counted = await store.analytics.keys('p1', range, 'search', 1)
  isRead = true
  expect(counted).toEqual({ unique: 16_000, top: [{ key: '0', count: 2 }] })
  expect(turns).toBeGreaterThan(2)
})

test('stores long queries with the same beginning as one key of 200 characters', async () => {
  const start = 'q'.repeat(199)
  await store.analytics.record([searched(`${start}😀 a`), searched(`${start}😀 b`)])
  const { top } = await store.analytics.keys('p1', range, 'search', 10)
  expect(top).toEqual([{ key: `${start}\uFFFD`, count: 2 }])
})

test('counts keys of a range exactly, however many there are', async () => {
  const key = fc.nat(3_000).map(String)
  const days = fc.array(fc.array(key, { maxLength: 2_000, size: 'max' }), { maxLength: 4, size: 'max' })
  await fc.assert(
    fc.asyncProperty(days, async (queries) => {
      const own = await openSqliteStore(':memory:')
      try {
        await own.projects.insert(project())
        for (const [n, keys] of queries.entries())
          await own.analytics.record(keys.map((each) => searched(each, `2026-01-1${n}`)))
        const expected = new Map<string, number>()
        for (const each of queries.flat()) expected.set(each, (expected.get(each) ?? 0) + 1)
        const best = Array.from(expected, ([key, count]) => ({ key, count })).sort(
          (a, b) => b.count - a.count || (a.key < b.key ? -1 : 1),
        )
        const all = { from: '2026-01-10', to: '2026-01-14' }
        expect(await own.analytics.keys('p1', all, 'search', 10)).toEqual({
          unique: expected.size,
          top: best.slice(0, 10),
        })
      } finally {
        await own.close()
      }
    }),
    { numRuns: 10 },
  )
})
