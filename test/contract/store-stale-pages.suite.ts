// The contract for a project's pages at the end of a run: which remain, are held or removed.
import assert from 'node:assert/strict'
import type { Settlement } from '../../services/store/frontier.ts'
import type { Store } from '../../services/store/store.ts'
import { listing, publication, run, type StoreCases, settlement, url, withRun } from './store-case.ts'

/** Lists and settles a path for a source. */
const walk = async (store: Store, path: string, change: Partial<Settlement> = {}): Promise<void> => {
  await store.frontier.discover('r1', [listing(path, change.source ?? 's1')])
  await store.frontier.settle('r1', [settlement(path, change)])
}

const unlisted = async (store: Store, unreadable: string[] = []): Promise<string[]> =>
  (await store.pages.unlisted('r1', unreadable)).map((page) => page.uuid)

const sourcesOf = async (store: Store, ...paths: string[]): Promise<(string[] | null)[]> =>
  (await store.pages.byUrls('p1', paths.map(url))).map((page) => page?.sources ?? null)

export const stalePageCases: StoreCases = {
  async '`unlisted` returns pages that the run did not keep, by uuid'(store) {
    const fence = await withRun(store)
    const outcomes: [string, Partial<Settlement>][] = [
      ['added', {}],
      ['failed', { outcome: 'failed', reason: 'timeout' }],
      ['unchanged', { outcome: 'unchanged' }],
      ['updated', { outcome: 'updated' }],
      ['gone', { outcome: 'skipped', reason: 'gone' }],
      ['excluded', { outcome: 'skipped', reason: 'excluded' }],
    ]
    const paths = [...outcomes.map(([path]) => path), 'absent']
    await store.pages.publish(
      'p1',
      fence,
      paths.map((path) => publication(path)),
    )
    for (const [path, change] of outcomes) await walk(store, path, change)
    assert.deepEqual(await unlisted(store), ['page-absent', 'page-excluded', 'page-gone'])
    await store.runs.finish('r1', { status: 'completed', at: '', error: null })
    assert.deepEqual(await unlisted(store), [])
  },
  async '`unlisted` returns a pinned page only if it is gone or excluded'(store) {
    const fence = await withRun(store)
    const pinned = { pinned: true, sources: [] }
    const outcomes: [string, Partial<Settlement>][] = [
      ['gone', { outcome: 'skipped', reason: 'gone' }],
      ['excluded', { outcome: 'skipped', reason: 'excluded' }],
      ['robots', { outcome: 'skipped', reason: 'robots' }],
      ['failed', { outcome: 'failed', reason: 'http_5xx' }],
    ]
    const paths = [...outcomes.map(([path]) => path), 'absent']
    await store.pages.publish(
      'p1',
      fence,
      paths.map((path) => publication(path, pinned)),
    )
    for (const [path, change] of outcomes) await walk(store, path, { ...change, source: 'pinned' })
    assert.deepEqual(await unlisted(store), ['page-excluded', 'page-gone'])
  },
  async '`unlisted` omits pages of unreadable sources, and returns those of a deleted source'(store) {
    const fence = await withRun(store)
    await store.pages.publish('p1', fence, [
      publication('a'),
      publication('b', { sources: ['s1', 's2'] }),
      publication('c', { sources: ['s2'] }),
    ])
    assert.deepEqual(await unlisted(store), ['page-a', 'page-b', 'page-c'])
    assert.deepEqual(await unlisted(store, ['s2']), ['page-a'])
    await store.sources.delete('p1', 's2')
    await store.pages.publish('p1', fence, [publication('d', { sources: ['s2'] })])
    await walk(store, 'a')
    await walk(store, 'b')
    await walk(store, 'd', { source: 's2' })
    assert.deepEqual(await unlisted(store), ['page-d'])
  },
  async 'returns pinned pages without a listing, by uuid'(store) {
    const fence = await withRun(store)
    await store.pages.publish('p1', fence, [
      ...['c', 'a', 'b'].map((path) => publication(path, { pinned: true })),
      publication('d'),
    ])
    await store.frontier.discover('r1', [listing('b')])
    const uuids = async (limit: number) =>
      (await store.pages.pinnedUnlisted('r1', limit)).map((page) => page.uuid)
    assert.deepEqual(await uuids(9), ['page-a', 'page-c'])
    assert.deepEqual(await uuids(1), ['page-a'])
    await store.runs.finish('r1', { status: 'completed', at: '', error: null })
    assert.deepEqual(await uuids(9), [])
  },
  async 'a hold marks exactly the named pages'(store) {
    const fence = await withRun(store)
    await store.pages.publish(
      'p1',
      fence,
      ['a', 'b', 'c'].map((path) => publication(path)),
    )
    const held = async () => (await store.pages.scan('p1', null, 9)).map((page) => page.heldBy)
    await store.pages.hold('r1', fence, ['page-a', 'page-b'])
    assert.deepEqual(await held(), ['r1', 'r1', null])
    await store.pages.publish('p1', fence, [publication('a', { version: 20 })])
    assert.deepEqual(await held(), ['r1', 'r1', null])
    const next = await store.runs.begin(run('r2'))
    await store.pages.hold('r2', next!.run.fence, ['page-b', 'page-c'])
    assert.deepEqual(await held(), [null, 'r2', 'r2'])
    await store.pages.hold('r2', next!.run.fence, [])
    assert.deepEqual(await held(), [null, null, null])
  },
  async 'a removal returns and counts the removed pages in the run, and queues their units'(store) {
    const fence = await withRun(store)
    await store.pages.publish(
      'p1',
      fence,
      ['a', 'b', 'c'].map((path) => publication(path)),
    )
    assert.equal(await store.pages.remove('p1', fence, ['page-a', 'page-x', 'page-b']), 2)
    assert.equal(await store.pages.remove('p1', fence, ['page-a']), 0)
    assert.equal(await store.pages.remove('p2', null, ['page-c']), 0)
    assert.equal((await store.runs.get('p1', 'r1'))?.pages.removed, 2)
    assert.equal(await store.pages.count('p1'), 1)
    assert.equal(await store.pages.content('page-a'), null)
    assert.equal((await store.pages.swept('p1', 9)).length, 2)
    assert.equal(await store.pages.remove('p1', null, ['page-c']), 1)
    assert.equal((await store.runs.get('p1', 'r1'))?.pages.removed, 2)
  },
  async '`assignSources` sets the sources that list each page, except unreadable ones and held pages'(store) {
    const fence = await withRun(store)
    await store.pages.publish('p1', fence, [
      publication('both'),
      publication('moved'),
      publication('left'),
      publication('held'),
      publication('declined', { sources: ['s1', 's2'] }),
    ])
    await walk(store, 'both')
    await store.frontier.discover('r1', [listing('both', 's2'), listing('both', 'pinned')])
    await walk(store, 'moved', { source: 's2' })
    await walk(store, 'declined', { source: 's2' })
    await walk(store, 'declined', { outcome: 'skipped', reason: 'excluded', deferred: true })
    await walk(store, 'declined', { outcome: 'skipped', reason: 'excluded' })
    await store.pages.hold('r1', fence, ['page-held'])
    const sets = () => sourcesOf(store, 'both', 'moved', 'left', 'held', 'declined')
    const before = [['s1'], ['s1'], ['s1'], ['s1'], ['s1', 's2']]
    await store.pages.assignSources('r1', fence + 1, [])
    assert.deepEqual(await sets(), before)
    await store.pages.assignSources('r1', fence, ['s1', 's2'])
    assert.deepEqual(await sets(), before)
    await store.pages.assignSources('r1', fence, ['s1'])
    assert.deepEqual(await sets(), [['s1', 's2'], ['s1', 's2'], ['s1'], ['s1'], ['s1', 's2']])
    await store.pages.assignSources('r1', fence, [])
    const after = [['s1', 's2'], ['s2'], [], ['s1'], ['s2']]
    assert.deepEqual(await sets(), after)
    await store.pages.assignSources('r1', fence, [])
    assert.deepEqual(await sets(), after)
    assert.deepEqual(
      await store.sources.pageCounts('p1'),
      new Map([
        ['s1', 2],
        ['s2', 3],
      ]),
    )
  },
  async 'judges, holds, assigns and removes more pages than one chunk completely'(store) {
    const fence = await withRun(store)
    const paths = Array.from({ length: 503 }, (_, n) => `n${String(n).padStart(4, '0')}`)
    await store.pages.publish(
      'p1',
      fence,
      paths.map((path) => publication(path)),
    )
    await store.frontier.discover(
      'r1',
      paths.map((path) => listing(path, 's2')),
    )
    await store.pages.assignSources('r1', fence, [])
    assert.deepEqual(await store.sources.pageCounts('p1'), new Map([['s2', 503]]))
    const lost = await unlisted(store)
    assert.equal(lost.length, 503)
    await store.pages.hold('r1', fence, lost)
    assert.equal(
      (await store.pages.scan('p1', null, 1_000)).filter((page) => page.heldBy === 'r1').length,
      503,
    )
    assert.equal(await store.pages.remove('p1', fence, lost), 503)
    assert.equal(await store.pages.count('p1'), 0)
  },
}
