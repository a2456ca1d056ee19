// The contract of the frontier.
import assert from 'node:assert/strict'
import { at, event, listing, type StoreCases, settlement, url, whole, withRun } from './store-case.ts'

const deferral = { outcome: 'skipped', reason: 'excluded', deferred: true, fetched: false } as const

export const frontierCases: StoreCases = {
  async 'discovers listings once per source and reads them in order, without consuming them'(store) {
    await withRun(store)
    const { frontier } = store
    assert.equal(await frontier.discover('r1', [listing('b', 's1', 0), listing('a')]), 2)
    assert.equal(await frontier.discover('r1', [listing('b', 's1', 7), listing('c'), listing('c')]), 1)
    assert.equal(await frontier.discover('r1', [listing('b', 's2', 4)]), 1)
    assert.equal(await frontier.discover('r9', [listing('b')]), 0)
    for (const _ of [1, 2])
      assert.deepEqual(await frontier.next('r1', 's1', 2), [listing('b', 's1', 0), listing('a')])
    assert.equal((await frontier.next('r1', 's1', 9)).length, 3)
    assert.deepEqual(await frontier.next('r1', 's2', 9), [listing('b', 's2', 4)])
    const pages = (await store.runs.get('p1', 'r1'))?.pages
    assert.deepEqual([pages?.discovered, pages?.pending], [3, 3])
  },
  async 'settling a listing marks it as walked and stores the outcome of its URL with its event'(store) {
    await withRun(store)
    const { frontier } = store
    await frontier.discover('r1', [listing('a'), listing('b'), listing('a', 's2')])
    assert.equal(await frontier.settle('r1', [settlement('a', { event: event('a') })]), true)
    assert.deepEqual(await frontier.states('r1', [url('b'), url('a'), url('x')]), [
      { url: url('b'), outcome: null, reason: null, deferred: false },
      { url: url('a'), outcome: 'added', reason: null, deferred: false },
      null,
    ])
    assert.deepEqual(await frontier.next('r1', 's1', 9), [listing('b')])
    assert.deepEqual(await frontier.next('r1', 's2', 9), [listing('a', 's2')])
    assert.equal((await store.runs.events('r1', {}, whole)).count, 1)
  },
  async 'keeps the first outcome of a URL; the same settlement again changes nothing'(store) {
    await withRun(store)
    const { frontier } = store
    await frontier.discover('r1', [listing('a'), listing('a', 's2')])
    const first = settlement('a', { event: event('first') })
    await frontier.settle('r1', [first, first])
    await frontier.settle('r1', [first])
    await frontier.settle('r1', [
      settlement('a', { source: 's2', outcome: 'failed', fetched: false, event: event('second') }),
    ])
    assert.equal((await frontier.states('r1', [url('a')]))[0]?.outcome, 'added')
    assert.deepEqual(await frontier.next('r1', 's2', 9), [])
    const pages = (await store.runs.get('p1', 'r1'))?.pages
    assert.deepEqual([pages?.added, pages?.failed, pages?.fetched, pages?.pending], [1, 0, 1, 0])
    assert.deepEqual(
      (await store.runs.events('r1', {}, whole)).rows.map((row) => row.id),
      ['first'],
    )
  },
  async 'counts no outcome for a URL that no source listed'(store) {
    await withRun(store)
    assert.equal(await store.frontier.settle('r1', [settlement('ghost', { event: event('ghost') })]), true)
    assert.deepEqual(await store.frontier.states('r1', [url('ghost')]), [null])
    const pages = (await store.runs.get('p1', 'r1'))?.pages
    assert.deepEqual([pages?.discovered, pages?.added, pages?.fetched, pages?.pending], [0, 0, 0, 0])
    assert.equal((await store.runs.events('r1', {}, whole)).count, 0)
  },
  async 'counts a deferred outcome as pending; any other replaces it, and it replaces none'(store) {
    await withRun(store)
    const { frontier, runs } = store
    const counts = async () => {
      const pages = (await runs.get('p1', 'r1'))?.pages
      return [pages?.pending, pages?.skipped, pages?.added]
    }
    await frontier.discover('r1', [listing('a'), listing('b'), listing('a', 's2'), listing('b', 's2')])
    await frontier.settle('r1', [settlement('a', deferral), settlement('b', deferral)])
    assert.deepEqual(await counts(), [2, 0, 0])
    assert.deepEqual(await frontier.next('r1', 's1', 9), [])
    const waiting = { target: null, outcome: 'skipped', reason: 'excluded', deferred: true, source: 's1' }
    assert.deepEqual(await frontier.deferred('r1', 9), [
      { url: url('a'), ...waiting },
      { url: url('b'), ...waiting },
    ])
    assert.equal((await frontier.deferred('r1', 1)).length, 1)
    await frontier.settle('r1', [settlement('a', { source: 's2', event: event('a') })])
    assert.deepEqual(await counts(), [1, 0, 1])
    await frontier.settle('r1', [settlement('a', deferral)])
    assert.deepEqual((await frontier.states('r1', [url('a')]))[0]?.outcome, 'added')
    await frontier.settle('r1', [settlement('b', { ...deferral, deferred: false })])
    assert.deepEqual(await counts(), [0, 1, 1])
    assert.deepEqual(await frontier.deferred('r1', 9), [])
  },
  async 'lists deferred URLs with their targets, which can be reopened once'(store) {
    await withRun(store)
    const { frontier } = store
    const waits = (path: string, target: string) =>
      settlement(path, { ...deferral, reason: 'canonical', target: url(target) })
    await frontier.discover(
      'r1',
      ['a', 'b', 'c', 'd', 'e', 'gone'].map((path) => listing(path)),
    )
    await frontier.settle('r1', [waits('c', 'gone'), waits('a', 'gone'), waits('b', 'nowhere')])
    await frontier.settle('r1', [settlement('d', deferral), settlement('e', { outcome: 'unchanged' })])
    await frontier.settle('r1', [settlement('gone', { outcome: 'skipped', reason: 'gone' })])
    const waiting = { source: 's1', outcome: 'skipped', reason: 'canonical', deferred: true }
    assert.deepEqual(await frontier.deferred('r1', 9, 's1'), [
      { ...waiting, url: url('a'), target: url('gone') },
      { ...waiting, url: url('b'), target: url('nowhere') },
      { ...waiting, url: url('c'), target: url('gone') },
    ])
    assert.equal((await frontier.deferred('r1', 2, 's1')).length, 2)
    assert.deepEqual(await frontier.deferred('r1', 9, 's2'), [])
    await frontier.reopen('r1', [
      { source: 's1', url: url('c') },
      { source: 's1', url: url('e') },
    ])
    assert.deepEqual(await frontier.next('r1', 's1', 9), [listing('c')])
    assert.deepEqual(
      (await frontier.deferred('r1', 9, 's1')).map((row) => row.url),
      [url('a'), url('b')],
    )
    await frontier.settle('r1', [settlement('a', { ...deferral, deferred: false }), settlement('c')])
    assert.deepEqual(
      (await frontier.deferred('r1', 9, 's1')).map((row) => row.url),
      [url('b')],
    )
    assert.equal(await frontier.kept('r1', 's1'), 2)
  },
  async 'does not return walked listings again, and keeps outcomes'(store) {
    await withRun(store)
    const { frontier } = store
    await frontier.discover('r1', [listing('a'), listing('a', 's2')])
    await frontier.settle('r1', [settlement('a')])
    await frontier.walked('r1', [{ source: 's2', url: url('a') }])
    assert.deepEqual(await frontier.next('r1', 's2', 9), [])
    assert.equal((await frontier.states('r1', [url('a')]))[0]?.outcome, 'added')
  },
  async '`kept` counts the listings of a source whose page is kept by any source, without declined ones'(
    store,
  ) {
    await withRun(store)
    const { frontier } = store
    const kept = async () => [await frontier.kept('r1', 's1'), await frontier.kept('r1', 's2')]
    await frontier.discover('r1', [listing('a'), listing('b'), listing('c'), listing('a', 's2')])
    assert.deepEqual(await kept(), [0, 0])
    await frontier.settle('r1', [
      settlement('a'),
      settlement('b', { outcome: 'unchanged' }),
      settlement('c', { outcome: 'failed', reason: 'timeout' }),
    ])
    assert.deepEqual(await kept(), [2, 1])
    await frontier.discover('r1', [listing('b', 's2'), listing('c', 's2')])
    assert.deepEqual(await kept(), [2, 2])
    await frontier.settle('r1', [settlement('b', { ...deferral, source: 's2' })])
    assert.deepEqual(await kept(), [2, 1])
    await frontier.discover('r1', [listing('d'), listing('d', 's2')])
    await frontier.settle('r1', [settlement('d', deferral)])
    await frontier.settle('r1', [settlement('d', { source: 's2', outcome: 'updated' })])
    assert.deepEqual(await kept(), [2, 2])
  },
  async 'counts an HTTP response once, whatever the outcome'(store) {
    await withRun(store)
    const { frontier } = store
    await frontier.discover('r1', [listing('a'), listing('b'), listing('c')])
    const gone = settlement('a', { outcome: 'skipped', reason: 'gone' })
    const down = settlement('b', { outcome: 'failed', reason: 'dns', fetched: false })
    await frontier.settle('r1', [gone, down, settlement('c', { ...deferral, fetched: true })])
    await frontier.settle('r1', [gone, down])
    await frontier.settle('r1', [settlement('c', { ...deferral, deferred: false })])
    assert.equal((await store.runs.get('p1', 'r1'))?.pages.fetched, 2)
  },
  async '`listed` counts the listings of a source, each once'(store) {
    await withRun(store)
    const listed = async () => [
      await store.frontier.listed('r1', 's1'),
      await store.frontier.listed('r1', 's2'),
    ]
    assert.deepEqual(await listed(), [0, 0])
    await store.frontier.discover('r1', [listing('a'), listing('b'), listing('a'), listing('b', 's2')])
    await store.frontier.discover('r1', [listing('a'), listing('c')])
    assert.deepEqual(await listed(), [3, 1])
    await store.frontier.settle('r1', [settlement('a', { outcome: 'failed', reason: 'parse' })])
    assert.deepEqual(await listed(), [3, 1])
    await store.runs.finish('r1', { status: 'completed', at: at(9), error: null })
    assert.deepEqual(await listed(), [0, 0])
  },
}
