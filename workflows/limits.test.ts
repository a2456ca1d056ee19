import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqliteStore } from '../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../services/store/store.ts'
import { run, withRun } from '../test/contract/store-case.ts'
import { createLister, createQuota, isCutOff, release, reserve } from './limits.ts'

const live = { ...run(), fence: 1 }
const some = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    source: 's1',
    url: `https://docs.test/${from + at}`,
    depth: 1,
  }))

let store: Store
let deps: Parameters<typeof createLister>[0]
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  deps = { store, run: live, addressLimit: 100_000 }
  await withRun(store)
})
afterEach(() => store.close())

test('lists as many addresses of a source in a run as the limit permits, however few of its pages may be kept', async () => {
  const source = { uuid: 's1', isPinned: false, maxPages: 5 }
  const lister = await createLister(deps, source)
  for (let from = 0; from < 90_000; from += 10_000) await lister.list(some(from, 10_000))
  expect([lister.isFull(), await isCutOff(deps, source)]).toEqual([false, false])

  // A resumed run continues to count.
  const next = await createLister(deps, source)
  await next.list(some(85_000, 10_000))
  expect(next.isFull()).toBe(false)
  await next.list(some(95_000, 10_000))
  await next.list(some(200_000, 10))
  expect([next.isFull(), await isCutOff(deps, source)]).toEqual([true, true])
  expect(await store.frontier.listed('r1', 's1')).toBe(100_000)
  expect((await store.runs.get('p1', 'r1'))?.pages.discovered).toBe(100_000)
})

test('permits ten addresses per page of a larger page limit, and any number of pinned pages', async () => {
  await store.frontier.discover('r1', some(0, 100_000))
  expect(await isCutOff(deps, { uuid: 's1', isPinned: false, maxPages: 10_001 })).toBe(false)
  expect(await isCutOff(deps, { uuid: 's1', isPinned: true, maxPages: null })).toBe(false)
})

test('permits a released page again', () => {
  const quotas = [createQuota(1)]
  expect(reserve(quotas)).toBe('granted')
  expect(reserve(quotas)).toBe('wait')
  release(quotas, false)
  expect(reserve(quotas)).toBe('granted')
  release(quotas, true)
  expect(reserve(quotas)).toBe('exhausted')
})

test('is exhausted at once if nothing is left at the start', () => {
  expect(reserve([createQuota(0)])).toBe('exhausted')
  expect(reserve([createQuota(-3)])).toBe('exhausted')
})

test('takes nothing from one limit if another is exhausted', () => {
  const [source, project] = [createQuota(1), createQuota(0)]
  expect(reserve([source, project])).toBe('exhausted')
  expect(reserve([source])).toBe('granted')
  expect(reserve([createQuota(null)])).toBe('granted')
})

test('never keeps more pages than permitted', () => {
  fc.assert(
    fc.property(fc.nat(20), fc.array(fc.constantFrom('take', 'keep', 'giveBack')), (left, moves) => {
      const quotas = [createQuota(left)]
      let reserved = 0
      let kept = 0
      for (const move of moves) {
        if (move === 'take') reserved += reserve(quotas) === 'granted' ? 1 : 0
        else if (reserved > 0) {
          release(quotas, move === 'keep')
          reserved -= 1
          kept += move === 'keep' ? 1 : 0
        }
      }
      expect(kept + reserved).toBeLessThanOrEqual(left)
    }),
  )
})
