// Order, count and paging of the list of addresses, with a store in memory.
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  event,
  listing,
  project,
  publication,
  run,
  settlement,
  source,
  url,
} from '../../test/contract/store-case.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { listPages } from './page-list.ts'

let store: Store
const time = (second: number) => new Date(Date.UTC(2026, 0, 2, 0, 0, second)).toISOString()

beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  await store.projects.insert(project())
  await store.sources.insert(source('s1'))
})
afterEach(() => store.close())

/** A completed run, with the paths of pages that it read, and of addresses that failed. */
async function crawl(uuid: string, at: number, read: string[], failed: string[]): Promise<void> {
  const { run: begun } = (await store.runs.begin(run(uuid, { createdAt: time(at) })))!
  await store.frontier.discover(
    uuid,
    [...read, ...failed].map((path) => listing(path)),
  )
  const pages = read.map((path) => publication(path, { fetchedAt: time(at) }))
  await store.pages.publish('p1', begun.fence, pages)
  await store.frontier.settle(uuid, [
    ...read.map((path) => settlement(path)),
    ...failed.map((path) =>
      settlement(path, {
        outcome: 'failed',
        event: event(`page:${url(path)}`, { at: time(at), type: 'page_failed', url: url(path) }),
      }),
    ),
  ])
  await store.addresses.forget(uuid)
  await store.runs.finish(uuid, { status: 'completed', at: time(at), error: null })
}

type Filter = Parameters<typeof listPages>[2]

async function rows(filter: Filter, offset = 0, limit = 100) {
  const { count, rows: found } = await listPages(store, 'p1', filter, { offset, limit })
  return {
    count,
    paths: found.map(({ address }) => `${address.url.slice(url('').length)} ${address.status}`),
  }
}

test('lists each address once across pages, also when some indexed pages fail', async () => {
  const paths = Array.from({ length: 30 }, (_, n) => `p${String(n).padStart(2, '0')}`)
  const failing = paths.filter((_, n) => n % 3 === 0 || n < 8)
  await crawl('r1', 1, paths, [])
  await crawl('r2', 2, [], [...failing, 'never'])
  const whole = await rows({})
  expect(whole.count).toBe(31)
  expect(whole.paths).toEqual([
    ...['never', ...failing].map((path) => `${path} failed`),
    ...paths.filter((path) => !failing.includes(path)).map((path) => `${path} indexed`),
  ])
  for (const filter of [{}, { status: 'indexed' }, { status: 'failed' }] satisfies Filter[]) {
    const all = await rows(filter)
    expect(all.paths).toHaveLength(all.count)
    for (const size of [1, 4, 7]) {
      const paged: string[] = []
      for (let at = 0; at < all.count; at += size) paged.push(...(await rows(filter, at, size)).paths)
      expect(paged).toEqual(all.paths)
    }
  }
})

test('lists a page as indexed that was read after it failed', async () => {
  await crawl('r1', 1, ['a', 'b'], [])
  await crawl('r2', 2, [], ['a'])
  expect((await rows({ status: 'failed' })).count).toBe(1)
  await store.pages.seen('p1', null, [{ uuid: 'page-a', sources: [], fetchedAt: time(3) }])
  expect(await rows({})).toEqual({ count: 2, paths: ['a indexed', 'b indexed'] })
})

test('lists addresses that a run has found but not read as pending, unless their page is in the index', async () => {
  await crawl('r1', 1, ['a'], [])
  await store.runs.begin(run('r2', { createdAt: time(2) }))
  await store.frontier.discover(
    'r2',
    ['a', 'b', 'c'].map((path) => listing(path)),
  )
  await store.frontier.settle('r2', [settlement('c', { outcome: 'skipped' })])
  expect(await rows({})).toEqual({ count: 3, paths: ['c skipped', 'b pending', 'a indexed'] })
  expect((await rows({ status: 'pending' })).paths).toEqual(['b pending'])
})

test('counts more addresses than are read at once', async () => {
  const failed = Array.from({ length: 2_500 }, (_, n) => `p${n}`)
  await crawl('r1', 1, [], failed)
  expect((await rows({}, 2_499)).paths).toEqual(['p999 failed'])
  expect((await rows({})).count).toBe(2_500)
})
