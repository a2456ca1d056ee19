import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AnalyticsEvent, AnalyticsStore } from '../store/analytics.ts'
import { openSearchRecorder, type SearchRecorder } from './search-recorder.ts'

let clock = 0
let written: AnalyticsEvent[] = []
let isAway = false
let recorder: SearchRecorder

const store: AnalyticsStore = {
  async record(events) {
    if (isAway) throw new Error('the store is away')
    written.push(...events)
  },
  read: async () => written,
  daily: async () => [],
  keys: async () => ({ unique: 0, top: [] }),
  expire: async () => 0,
}

beforeEach(() => {
  vi.useFakeTimers()
  clock = 0
  written = []
  recorder = openSearchRecorder(store, () => clock, vi.fn())
})

afterEach(() => vi.useRealTimers())

function search(caller: string, query: string, at: number, project = 'p') {
  clock = at
  const number = 3
  recorder.searched(caller, {
    uuid: `${caller}${at}`,
    project,
    kind: 'search',
    at: '',
    query,
    url: null,
    name: null,
    number,
  })
}

async function queries() {
  await recorder.close()
  return written.map(({ query }) => query)
}

test('ignores a blank query, which replaces no other', async () => {
  search('ann', 'tides', 0)
  search('ann', '  ', 1_000)
  search('bob', ' ', 2_000)
  expect(await queries()).toEqual(['tides'])
})

test('writes failed events again when the store is back', async () => {
  const [project, uuid] = ['p', 'one']
  isAway = true
  const click = { kind: 'click', at: '', query: 'kept', url: null, name: null, number: null } as const
  recorder.record({ uuid, project, ...click })
  await vi.advanceTimersByTimeAsync(1_000)
  isAway = false
  expect(await queries()).toEqual(['kept'])
})

test('counts a query typed letter by letter once, in its last form', async () => {
  for (const [at, query] of ['a', 'as', 'asy', 'async', 'asyncio', 'asyncio'].entries())
    search('me', query, at * 300)
  expect(await queries()).toEqual(['asyncio'])
})

test('counts a shortened query once, in its last form', async () => {
  search('me', 'asyncio.run', 0)
  search('me', 'asyncio', 1_000)
  expect(await queries()).toEqual(['asyncio'])
})

test('counts another query, caller or project separately', async () => {
  search('me', 'list', 0)
  search('me', 'dict', 1_000)
  search('you', 'dict', 1_000)
  search('me', 'dict', 1_000, 'q')
  expect((await queries()).toSorted()).toEqual(['dict', 'dict', 'dict', 'list'])
})

test('counts the same query again after five seconds', async () => {
  search('me', 'list', 0)
  search('me', 'list', 5_000)
  expect(await queries()).toEqual(['list', 'list'])
})

test('writes a query that is unchanged for five seconds, without another call', async () => {
  search('me', 'list', 0)
  clock = 5_000
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written.map(({ query }) => query)).toEqual(['list'])
})

test('accepts a million events per project and day', async () => {
  const counts: Record<string, number> = {}
  const counting = openSearchRecorder(
    {
      ...store,
      async record(events) {
        for (const { project, at } of events)
          counts[`${project} ${at}`] = (counts[`${project} ${at}`] ?? 0) + 1
      },
    },
    () => clock,
    vi.fn(),
  )
  const click = {
    uuid: 'one',
    kind: 'click',
    query: null,
    url: null,
    name: null,
    number: null,
  } as const
  const busy = { ...click, project: 'p', at: '2026-01-02' }
  for (let n = 0; n < 1_000_005; n++) counting.record(busy)
  counting.record({ ...click, project: 'q', at: '2026-01-02' })
  counting.record({ ...click, project: 'p', at: '2026-01-03' })
  await counting.close()
  expect(counts).toEqual({ 'p 2026-01-02': 1_000_000, 'q 2026-01-02': 1, 'p 2026-01-03': 1 })
})
