import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { project } from '../../test/contract/store-case.ts'
import { openHourly } from '../hourly.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  await store.teams.insert({ uuid: 't1', name: 'T', createdAt: '2026-01-01T00:00:00.000Z' })
  for (const uuid of ['p1', 'p2']) await store.projects.insert(project(uuid))
})
afterEach(() => store.close())

const now = () => new Date('2026-01-10T00:30:00.000Z')
const expectNone = (error: unknown) => expect.fail(String(error))

it('aggregates the days before today, for all projects', async () => {
  const asked: unknown[] = []
  const analytics = {
    ...store.analytics,
    daily: vi.fn((...values: Parameters<Store['analytics']['daily']>) => {
      asked.push(values)
      return store.analytics.daily(...values)
    }),
  }
  const days = openHourly({ isAlone: true, store: { ...store, analytics }, now, report: expectNone })
  const range = { from: '2026-01-03', to: '2026-01-09' }
  await expect.poll(() => asked).toHaveLength(2)
  expect(asked).toEqual([
    ['p1', range, []],
    ['p2', range, []],
  ])
  await days.close()
})

it('continues with the next project if one fails', async () => {
  const counted: string[] = []
  const broken = new RangeError('Invalid string length')
  const analytics = {
    ...store.analytics,
    daily: async (project: string) => {
      if (project === 'p1') throw broken
      counted.push(project)
      return []
    },
  }
  const reported = vi.fn()
  const days = openHourly({ isAlone: true, store: { ...store, analytics }, now, report: reported })
  await expect.poll(() => counted).toEqual(['p2'])
  expect(reported.mock.calls).toEqual([[broken]])
  await days.close()
})

it('reports an unavailable store, and continues', async () => {
  const reported = vi.fn()
  const projects = { ...store.projects, all: () => Promise.reject(new Error('away')) }
  const days = openHourly({ isAlone: true, store: { ...store, projects }, now, report: reported })
  await expect.poll(() => reported).toHaveBeenCalledOnce()
  await days.close()
})
