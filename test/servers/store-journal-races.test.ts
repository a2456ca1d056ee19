// Two handles on one MongoDB database that write to one project at once: both come through, nothing is counted twice, and
// what is deleted meanwhile is gone.
import { MongoClient } from 'mongodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../services/store/store.ts'
import {
  at,
  event,
  listing,
  publication,
  run,
  settlement,
  url,
  whole,
  withRun,
} from '../contract/store-case.ts'
import { isMissing, openMongodbBackend } from './backend.ts'
import { databaseOf } from './mongodb-database.ts'
import { openTestStore } from './mongodb-store.ts'

describe.skipIf(isMissing('ferretdb'))('two handles at one project on MongoDB', { timeout: 120_000 }, () => {
  let server: Awaited<ReturnType<typeof openMongodbBackend>>
  let cases = 0
  let address: string
  let one: Store
  let two: Store
  let fence: number
  beforeAll(async () => {
    server = await openMongodbBackend()
  })
  afterAll(() => server.remove())
  beforeEach(async () => {
    address = databaseOf(server.url, `journal_${process.pid}_${cases++}`)
    one = await openTestStore(address)
    two = await openTestStore(address)
    fence = await withRun(one)
  })
  afterEach(async () => {
    await Promise.all([one.close(), two.close()])
  })

  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

  test('of two who settle the same addresses, each address counts once, with one event', async () => {
    const names = numbers(12).map((n) => `n${n}`)
    await one.frontier.discover(
      'r1',
      names.map((name) => listing(name)),
    )
    const settle = (store: Store, of: string[], outcome: 'added' | 'failed') =>
      store.frontier.settle(
        'r1',
        of.map((name) => settlement(name, { outcome, event: event(`${outcome}:${name}`) })),
      )
    for (const n of numbers(4)) {
      const three = names.slice(3 * n, 3 * n + 3)
      const done = await Promise.all([settle(one, three, 'added'), settle(two, three.toReversed(), 'failed')])
      expect(done).toEqual([true, true])
    }
    const pages = (await one.runs.get('p1', 'r1'))!.pages
    expect([pages.discovered, pages.pending, pages.added + pages.failed]).toEqual([12, 0, 12])
    const { rows } = await two.runs.events('r1', {}, whole)
    expect(rows.map(({ sequence }) => sequence)).toEqual(numbers(12).map((n) => n + 1))
    expect(new Set(rows.map(({ id }) => id.split(':')[1])).size).toBe(12)
    expect(await one.frontier.kept('r1', 's1')).toBe(pages.added)
  })

  test('two who discover at once list every address once', async () => {
    const names = numbers(30).map((n) => `n${n}`)
    const counted = await Promise.all(
      numbers(6).map((n) =>
        (n % 2 ? one : two).frontier.discover(
          'r1',
          names.slice(4 * n, 4 * n + 10).map((name) => listing(name)),
        ),
      ),
    )
    expect(counted.reduce((sum, n) => sum + n, 0)).toBe(30)
    expect((await one.frontier.next('r1', 's1', 99)).map((each) => each.url).sort()).toEqual(
      names.map(url).sort(),
    )
    expect((await two.runs.get('p1', 'r1'))!.pages.discovered).toBe(30)
  })

  test('what a run publishes while the next begins is there when that one has begun, or never', async () => {
    for (const n of numbers(8)) {
      const before = { run: `r${n + 1}`, fence: fence + n }
      const [[result], begun] = await Promise.all([
        one.pages.publish('p1', before.fence, [publication(`n${n}`)]),
        two.runs.begin(run(`r${n + 2}`, { createdAt: at(n + 2) })),
      ])
      expect(begun).toMatchObject({ superseded: before.run, run: { fence: before.fence + 1 } })
      const there = (await two.pages.byUrls('p1', [url(`n${n}`)]))[0] !== null
      expect(result).toBe(there ? 'published' : 'fenced')
    }
    expect(await one.pages.count('p1')).toBe((await two.pages.scan('p1', null, 99)).length)
  })

  test('of two who publish the same page, the one that fetched later stands', async () => {
    for (const n of numbers(8)) {
      const results = await Promise.all([
        one.pages.publish('p1', fence, [publication(`n${n}`, { version: 10, fetchedAt: at(3) })]),
        two.pages.publish('p1', null, [publication(`n${n}`, { version: 11, fetchedAt: at(4) })]),
      ])
      expect(results.flat().sort()).toEqual(['published', 'stale'])
    }
    expect(await one.pages.count('p1')).toBe(8)
    expect(await two.sources.pageCounts('p1')).toEqual(new Map([['s1', 8]]))
    expect(await one.pages.swept('p1', 99)).toEqual([])
  })

  test('a page published while its source is deleted does not keep the source', async () => {
    const pages = numbers(6).map((n) => publication(`n${n}`, { sources: n % 2 ? ['s2'] : ['s1', 's2'] }))
    await Promise.all([
      ...pages.map((page) => one.pages.publish('p1', null, [page])),
      two.sources.delete('p1', 's2'),
    ])
    const left = await one.pages.scan('p1', null, 99)
    expect(left.filter((page) => page.sources.includes('s2'))).toEqual([])
    expect(await two.pages.count('p1')).toBe(left.length)
    expect([...(await two.sources.pageCounts('p1'))]).toEqual([['s1', 3]])
  })

  test('what is written to a project while it is deleted goes with it', async () => {
    await one.frontier.discover('r1', [listing('a')])
    await Promise.all([
      ...numbers(6).map((n) => one.pages.publish('p1', fence, [publication(`n${n}`)])),
      one.frontier.settle('r1', [settlement('a', { event: event('a') })]),
      two.projects.delete('p1'),
    ])
    expect(await one.pages.byUrls('p1', [url('n0'), url('n5')])).toEqual([null, null])
    expect(await two.runs.get('p1', 'r1')).toBeNull()
    await Promise.all([one.close(), two.close()])
    one = await openTestStore(address)
    two = await openTestStore(address)
    const client = await new MongoClient(address).connect()
    const left = async () => {
      const parts = ['pages', 'page_bodies', 'frontier', 'listings', 'runs', 'run_events', 'sources']
      return Promise.all(parts.map((part) => client.db().collection(part).countDocuments()))
    }
    await expect.poll(left).toEqual([0, 0, 0, 0, 0, 0, 0])
    await client.close()
  })
})
