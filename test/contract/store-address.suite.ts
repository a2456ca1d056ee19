// The contract of addresses: the outcome of each, in lists and alone.
import assert from 'node:assert/strict'
import type { Address, AddressFilter } from '../../services/store/address.ts'
import type { Settlement } from '../../services/store/frontier.ts'
import type { Store } from '../../services/store/store.ts'
import {
  at,
  event,
  listing,
  publication,
  run,
  type StoreCases,
  settlement,
  source,
  url,
  whole,
  withProject,
  withRun,
} from './store-case.ts'

type Ending = Partial<Settlement> & { outcome: 'failed' | 'skipped' }

/** Settles a listed path with an event. */
const left = (path: string, change: Ending): Settlement =>
  settlement(path, {
    event: event(path, { type: `page_${change.outcome}`, sourceUuid: change.source ?? 's1' }),
    ...change,
  })

/** Lists paths in a run. */
const discover = async (store: Store, paths: string[], uuid = 'r1') =>
  void (await store.frontier.discover(
    uuid,
    paths.map((path) => listing(path)),
  ))

/** The count, then each path with its status. */
const read = async (store: Store, filter: AddressFilter = {}, page = whole) => {
  const { count, rows } = await store.addresses.list('p1', filter, page)
  return [count, ...rows.map((each) => `${each.url.slice(url('').length)} ${each.status}`)]
}

const complete = (store: Store, uuid: string) =>
  store.runs.finish(uuid, { status: 'completed', at: at(8), error: null })

/** The run r1 with addresses in every state: b failed, a and d were skipped, c is pending, e and f are indexed. */
const withAddresses = async (store: Store): Promise<number> => {
  const fence = await withRun(store)
  await discover(store, ['f', 'e', 'd', 'c', 'b', 'a'])
  await store.pages.publish('p1', fence, [publication('e'), publication('f')])
  await store.frontier.settle('r1', [
    settlement('f'),
    settlement('e'),
    left('d', { outcome: 'skipped', reason: 'gone', httpStatus: 404 }),
    left('b', { outcome: 'failed', reason: 'http_5xx', httpStatus: 500, source: 's2' }),
    left('a', { outcome: 'skipped', reason: 'robots' }),
  ])
  return fence
}

export const addressCases: StoreCases = {
  async 'lists addresses by status, then by address, in pages'(store) {
    await withAddresses(store)
    const all = [6, 'b failed', 'a skipped', 'd skipped', 'c pending', 'e indexed', 'f indexed']
    assert.deepEqual(await read(store), all)
    assert.deepEqual(await read(store, {}, { offset: 2, limit: 3 }), [6, ...all.slice(3, 6)])
    assert.deepEqual((await store.addresses.list('p9', {}, whole)).rows, [])
  },
  async 'filters addresses by prefix, status, reason and source'(store) {
    await withAddresses(store)
    assert.deepEqual(await read(store, { status: 'skipped' }), [2, 'a skipped', 'd skipped'])
    assert.deepEqual(await read(store, { status: 'pending' }), [1, 'c pending'])
    assert.deepEqual(await read(store, { reason: 'gone' }), [1, 'd skipped'])
    assert.deepEqual(await read(store, { status: 'failed', reason: 'gone' }), [0])
    assert.deepEqual(await read(store, { urlPrefix: url('b') }), [1, 'b failed'])
    assert.deepEqual(await read(store, { urlPrefix: url('x') }), [0])
    assert.deepEqual(await read(store, { sourceUuid: 's2' }), [1, 'b failed'])
    assert.deepEqual(await read(store, { sourceUuid: 's1', status: 'indexed' }), [
      2,
      'e indexed',
      'f indexed',
    ])
    assert.deepEqual(await read(store, { sourceUuid: 's9' }), [0])
  },
  async 'scans the addresses of one status in order of address'(store) {
    await withAddresses(store)
    const scan = async (filter: AddressFilter & Pick<Address, 'status'>, after = '', limit = 9) =>
      (await store.addresses.scan('p1', filter, after && url(after), limit)).map((each) => each.url)
    assert.deepEqual(await scan({ status: 'skipped' }), [url('a'), url('d')])
    assert.deepEqual(await scan({ status: 'skipped' }, '', 1), [url('a')])
    assert.deepEqual(await scan({ status: 'skipped' }, 'a'), [url('d')])
    assert.deepEqual(await scan({ status: 'skipped', urlPrefix: url('d') }, ''), [url('d')])
    assert.deepEqual(await scan({ status: 'indexed', urlPrefix: url('') }, 'e'), [url('f')])
    assert.deepEqual(await scan({ status: 'indexed', sourceUuid: 's2' }), [])
  },
  async 'finds an address with the data of its event'(store) {
    await withAddresses(store)
    const none = { reason: null, message: null, at: null, sourceUuid: null, httpStatus: null }
    assert.deepEqual(await store.addresses.find('p1', url('b')), {
      ...{ url: url('b'), status: 'failed', reason: 'http_5xx', message: 'Added b.' },
      ...{ at: at(3), sourceUuid: 's2', httpStatus: 500 },
    })
    assert.deepEqual(await store.addresses.find('p1', url('e')), {
      ...{ url: url('e'), status: 'indexed' },
      ...none,
    })
    assert.equal((await store.addresses.find('p1', url('c')))?.status, 'pending')
    assert.equal(await store.addresses.find('p1', url('x')), null)
    assert.equal(await store.addresses.find('p9', url('b')), null)
  },
  async 'keeps the outcome of the last visit, by a run or a recrawl'(store) {
    const fence = await withAddresses(store)
    await complete(store, 'r1')
    await store.pages.publish('p1', null, [publication('b'), publication('g')])
    assert.deepEqual(await read(store, { status: 'indexed' }), [
      4,
      ...['b', 'e', 'f', 'g'].map((path) => `${path} indexed`),
    ])
    await store.runs.begin(run('r2'))
    await discover(store, ['b', 'e'], 'r2')
    assert.equal((await store.addresses.find('p1', url('e')))?.status, 'indexed')
    const down = left('e', { outcome: 'failed', reason: 'timeout' })
    await store.frontier.settle('r2', [settlement('b', { outcome: 'unchanged' }), down])
    assert.deepEqual(await read(store, { status: 'failed' }), [1, 'e failed'])
    const seen = { uuid: 'page-e', sources: [], fetchedAt: at(9) }
    await store.pages.seen('p1', fence, [seen])
    assert.deepEqual(await read(store, { status: 'failed' }), [1, 'e failed'])
    await store.pages.seen('p1', null, [seen])
    assert.deepEqual(await read(store, { status: 'failed' }), [0])
  },
  async 'a page that a run published or saw is indexed, even if the run ends before it is settled'(store) {
    const fence = await withAddresses(store)
    const seen = { uuid: 'page-c', sources: [], fetchedAt: at(9) }
    await store.pages.publish('p1', fence, [publication('c')])
    const { run: next } = (await store.runs.begin(run('r2')))!
    assert.deepEqual(await read(store, { status: 'indexed', urlPrefix: url('c') }), [1, 'c indexed'])
    await discover(store, ['c'], 'r2')
    await store.frontier.settle('r2', [left('c', { outcome: 'failed', reason: 'timeout' })])
    await store.runs.begin(run('r3'))
    await store.pages.seen('p1', next.fence, [seen])
    assert.deepEqual(await read(store, { urlPrefix: url('c') }), [1, 'c failed'])
    await store.pages.seen('p1', next.fence + 1, [seen])
    assert.deepEqual(await read(store, { urlPrefix: url('c') }), [1, 'c indexed'])
  },
  async 'ignores deferred outcomes, and pending addresses of an ended run'(store) {
    await withAddresses(store)
    await store.frontier.settle('r1', [left('c', { outcome: 'skipped', reason: 'excluded', deferred: true })])
    assert.deepEqual(await read(store, { status: 'pending' }), [1, 'c pending'])
    await store.runs.begin(run('r2'))
    assert.deepEqual(await read(store, { status: 'pending' }), [0])
    assert.equal(await store.addresses.find('p1', url('c')), null)
    assert.deepEqual(await read(store, { status: 'failed' }), [1, 'b failed'])
    await discover(store, ['b', 'c'], 'r2')
    assert.deepEqual(await read(store, { status: 'pending' }), [1, 'c pending'])
    assert.deepEqual(await read(store, { status: 'failed' }), [1, 'b failed'])
  },
  async 'forgets addresses that the run did not find at its end, except indexed ones'(store) {
    await withAddresses(store)
    await complete(store, 'r1')
    await store.addresses.forget('r1')
    assert.deepEqual((await read(store))[0], 5)
    await store.runs.begin(run('r2'))
    await discover(store, ['a'], 'r2')
    await store.addresses.forget('r1')
    assert.deepEqual((await read(store))[0], 5)
    await store.addresses.forget('r2')
    assert.deepEqual(await read(store), [3, 'a skipped', 'e indexed', 'f indexed'])
  },
  async 'a removed page leaves the lists, unless the live run reports why it was skipped'(store) {
    const fence = await withRun(store)
    const paths = ['a', 'd', 'e', 'f']
    await discover(store, paths)
    const written = paths.map((path) => publication(path))
    await store.pages.publish('p1', fence, written)
    await store.frontier.settle('r1', [
      left('a', { outcome: 'skipped', reason: 'robots' }),
      left('d', { outcome: 'skipped', reason: 'gone' }),
    ])
    await store.pages.remove('p1', fence, ['page-d'])
    assert.deepEqual(await read(store, { reason: 'gone' }), [1, 'd skipped'])
    await complete(store, 'r1')
    // A page that no run has found, such as one from another store, whose last recrawl failed.
    await store.pages.publish('p1', null, [publication('g')])
    const failed = { url: url('g'), status: 'failed', reason: 'http_5xx', message: null } as const
    await store.addresses.restore('p1', [{ ...failed, at: at(9), sourceUuid: 's1', httpStatus: 500 }])
    await store.pages.remove('p1', null, ['page-a', 'page-e', 'page-g'])
    assert.deepEqual(await read(store), [2, 'd skipped', 'f indexed'])
    await store.runs.begin(run('r2'))
    await discover(store, ['f'], 'r2')
    await store.frontier.settle('r2', [settlement('f', { outcome: 'unchanged' })])
    await store.pages.remove('p1', null, ['page-f'])
    assert.deepEqual(await read(store, { status: 'indexed' }), [0])
  },
  async 'finds addresses by the sources of their page, and none by a deleted source'(store) {
    await withProject(store)
    await store.pages.publish('p1', null, [
      publication('a', { sources: ['s1', 's2'] }),
      publication('b', { sources: ['s2'] }),
    ])
    assert.deepEqual(await read(store, { sourceUuid: 's2' }), [2, 'a indexed', 'b indexed'])
    const { run: begun } = (await store.runs.begin(run()))!
    await discover(store, ['a', 'b'])
    await store.frontier.settle('r1', [settlement('a', { outcome: 'unchanged' })])
    assert.deepEqual(await read(store, { sourceUuid: 's2' }), [2, 'a indexed', 'b indexed'])
    await store.pages.assignSources('r1', begun.fence, [])
    assert.deepEqual(await read(store, { sourceUuid: 's2' }), [0])
    assert.deepEqual(await read(store, { sourceUuid: 's1' }), [2, 'a indexed', 'b indexed'])
    await store.sources.delete('p1', 's1')
    assert.deepEqual(await read(store, { sourceUuid: 's1' }), [0])
    assert.deepEqual(await read(store, { status: 'indexed' }), [0])
  },
  async 'restored addresses overwrite existing ones'(store) {
    await withProject(store)
    await store.sources.insert(source('s3'))
    await store.pages.publish('p1', null, [publication('a')])
    const restored = ['a', 'b'].map(
      (path): Address => ({
        ...{ url: url(path), status: 'failed', reason: 'timeout', message: 'It took too long.' },
        ...{ at: at(4), sourceUuid: 's3', httpStatus: null },
      }),
    )
    await store.addresses.restore('p1', restored)
    await store.addresses.restore('p9', restored)
    assert.deepEqual(await store.addresses.list('p1', {}, whole), { count: 2, rows: restored })
    assert.deepEqual((await store.addresses.list('p1', { sourceUuid: 's3' }, whole)).count, 2)
    assert.deepEqual((await store.addresses.list('p9', {}, whole)).count, 0)
  },
}
