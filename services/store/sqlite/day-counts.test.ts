// A busy day is added up in parts, between which others write.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { project } from '../../../test/contract/store-case.ts'
import type { AnalyticsEvent } from '../analytics.ts'
import type { Store } from '../store.ts'
import { openSqliteStore } from './sqlite-store.ts'

const [day, number] = ['2026-01-02', 5_000]
const range = { from: day, to: day }

const searched = (n: number): AnalyticsEvent => ({
  ...{ uuid: `e${String(n).padStart(5, '0')}`, team: 't1', project: 'p1', kind: 'search' },
  ...{ at: `${day}T00:00:00.000Z`, query: `query ${n % 100}`, url: null, name: null, number: 1 },
})

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  await store.projects.insert(project())
  await store.analytics.record(Array.from({ length: number }, (_, n) => searched(n)))
})
afterEach(() => store.close())

async function count(): Promise<number> {
  const [counted] = await store.analytics.counts('p1', range, ['search'])
  return counted!.counts.reduce((sum, each) => sum + each, 0)
}

test('all of its rows count, whatever moment they are of', async () => {
  expect(await count()).toBe(number)
  expect((await store.analytics.countedKeys('p1', [day], 'search')).size).toBe(100)
})

/** Behind what has been read of the day by now. */
async function writeBehind(uuid: string) {
  await new Promise(setImmediate)
  await store.analytics.record([{ ...searched(0), uuid }])
}

test('what is written meanwhile is not forgotten', async () => {
  const reading = count()
  await writeBehind('a')
  await reading
  expect(await count()).toBe(number + 1)
})

test('nor where another reader has begun since', async () => {
  const reading = count()
  await writeBehind('a')
  const other = count()
  await reading
  expect(await count()).toBe(number + 1)
  expect(await other).toBe(number + 1)
  expect(await count()).toBe(number + 1)
})
