// Chats are deleted a number of days after their last change, at start and every hour, in projects with that setting.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { project, whole } from '../../test/contract/store-case.ts'
import { chat } from '../../test/contract/store-chat-case.ts'
import { openHourly } from '../hourly.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'

const hour = 60 * 60_000
const day = 24 * hour
const start = Date.parse('2026-11-21T12:00:00.000Z')

let store: Store
let now: number
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  now = start
  store = await openSqliteStore(':memory:')
  for (const [uuid, retentionDays] of [
    ['kept', null],
    ['one', 1],
    ['thirty', 30],
  ] as const) {
    await store.projects.insert(project(uuid, { config: { ...project().config, retentionDays } }))
    for (const age of [0.99, 1.01, 29.9, 31]) {
      const at = new Date(start - age * day).toISOString()
      const createdAt = new Date(start - 90 * day).toISOString()
      await store.chats.insert(chat(`${uuid} ${age}`, { project: uuid, createdAt, updatedAt: at }))
    }
  }
})
afterEach(async () => {
  vi.useRealTimers()
  await store.close()
})

const open = (report: (error: unknown) => void = (error) => expect.fail(String(error))) =>
  openHourly({ store, isAlone: true, now: () => new Date(now), report })

async function left(): Promise<string[]> {
  const lists = await Promise.all(['kept', 'one', 'thirty'].map((uuid) => store.chats.list(uuid, whole)))
  return lists.flatMap(({ rows }) => rows.map(({ uuid }) => uuid)).sort()
}

const kept = ['kept 0.99', 'kept 1.01', 'kept 29.9', 'kept 31']

it("deletes chats older than the project's retention, and nothing else", async () => {
  const retention = open()
  await expect.poll(left).toHaveLength(8)
  expect(await left()).toEqual([...kept, 'one 0.99', 'thirty 0.99', 'thirty 1.01', 'thirty 29.9'])
  await retention.close()
})

it('keeps chats if the retention exceeds the range of dates', async () => {
  const config = { ...project().config, retentionDays: 2 ** 31 - 1 }
  await store.projects.insert(project('always', { config }))
  await store.chats.insert(chat('always', { project: 'always' }))
  const retention = open()
  await expect.poll(left).toHaveLength(8)
  await retention.close()
  expect((await store.chats.list('always', whole)).count).toBe(1)
})

it('repeats every hour until it is closed', async () => {
  const retention = open()
  await expect.poll(left).toHaveLength(8)
  now += hour
  vi.advanceTimersByTime(hour)
  await expect.poll(left).not.toContain('one 0.99')
  expect(await left()).toHaveLength(7)
  await retention.close()
  now += 40 * day
  vi.advanceTimersByTime(40 * day)
  expect(await left()).toHaveLength(7)
})

it('reports a failure and retries', async () => {
  const failures: unknown[] = []
  const { expire } = store.chats
  store.chats.expire = async () => {
    throw new Error('away')
  }
  const retention = open((error) => failures.push(error))
  await expect.poll(() => failures).toHaveLength(2)
  store.chats.expire = expire
  vi.advanceTimersByTime(hour)
  await expect.poll(left).toHaveLength(8)
  await retention.close()
})

it('repeats batches until nothing is left', async () => {
  const erased = [100, 100, 99, 0]
  const asked: string[] = []
  store.chats.expire = async (uuid, before, limit) => {
    asked.push(`${uuid} ${before} ${limit}`)
    return erased.shift()!
  }
  const retention = open()
  await expect.poll(() => erased).toEqual([])
  await retention.close()
  const one = 'one 2026-11-20T12:00:00.000Z 100'
  expect(asked).toEqual([one, one, one, 'thirty 2026-10-22T12:00:00.000Z 100'])
})

it('deletes searches and clicks, too', async () => {
  const ages = [0.99, 1.01, 29.9, 31]
  const range = { from: new Date(start - 99 * day).toISOString(), to: new Date(start).toISOString() }
  for (const uuid of ['kept', 'one', 'thirty']) {
    await store.analytics.record(
      ages.map((age) => ({
        uuid: `${uuid} ${age}`,
        project: uuid,
        kind: 'search',
        at: new Date(start - age * day).toISOString(),
        query: 'a reader’s words',
        url: null,
        name: null,
        number: 1,
      })),
    )
  }
  const counts = () =>
    Promise.all(
      ['kept', 'one', 'thirty'].map(
        async (uuid) => (await store.analytics.read(uuid, range, null, 9)).length,
      ),
    )
  const retention = open()
  await expect.poll(counts).toEqual([4, 1, 3])
  await retention.close()
})
