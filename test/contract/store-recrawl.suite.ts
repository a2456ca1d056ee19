// The contract of recrawls, vocabularies and analytics events.
import assert from 'node:assert/strict'
import { type AnalyticsEvent, eventMeasures } from '../../services/store/analytics.ts'
import type { Recrawl } from '../../services/store/recrawl.ts'
import type { Store } from '../../services/store/store.ts'
import { at, project, recrawl, type StoreCases, url, uuidsIn, whole, withProject } from './store-case.ts'
import { keysOf, talliesOf } from './store-tallies.ts'

const searched = (uuid: string, minute: number, change: Partial<AnalyticsEvent> = {}): AnalyticsEvent => ({
  uuid,
  project: 'p1',
  kind: 'search',
  at: at(minute),
  query: `query ${uuid}`,
  url: null,
  name: null,
  number: 3,
  ...change,
})

const clicked = (uuid: string, minute: number, url: string | null): AnalyticsEvent =>
  searched(uuid, minute, { kind: 'click', query: null, url, number: null })

/** Minutes. */
const day = 24 * 60
const allDays = { from: '2026-01-01', to: '2026-01-31' }

const tallies = (store: Store, range = allDays, project = 'p1') =>
  talliesOf(store.analytics, project, range, eventMeasures)

export const recrawlCases: StoreCases = {
  async 'writes a recrawl once and finds it in its project'(store) {
    await withProject(store)
    await store.recrawls.insert(recrawl())
    await store.recrawls.insert(recrawl('c1', { status: 'indexed' }))
    assert.deepEqual(await store.recrawls.get('p1', 'c1'), recrawl())
    assert.equal(await store.recrawls.get('p2', 'c1'), null)
  },
  async 'keeps a final status; recrawls without one are live, oldest first'(store) {
    await withProject(store)
    for (const n of [2, 1, 3]) await store.recrawls.insert(recrawl(`c${n}`, { createdAt: at(n) }))
    const to = { status: 'running', reason: null, finishedAt: null } as const
    const why = { reason: 'excluded', detail: 'robots', message: 'robots.txt does not allow it.' } as const
    const done = { status: 'dropped', ...why, finishedAt: at(9) } as const
    assert.equal(await store.recrawls.settle('c1', to), true)
    assert.equal(await store.recrawls.settle('c3', done), true)
    assert.equal(await store.recrawls.settle('c3', to), false)
    assert.equal(await store.recrawls.settle('c9', to), false)
    assert.deepEqual(await store.recrawls.get('p1', 'c3'), recrawl('c3', { createdAt: at(3), ...done }))
    assert.deepEqual(
      (await store.recrawls.live()).map((row) => [row.uuid, row.status]),
      [
        ['c1', 'running'],
        ['c2', 'queued'],
      ],
    )
  },
  async 'returns the queued recrawl of the same address in the project'(store) {
    await withProject(store)
    await store.projects.insert(project('p2'))
    const limits = { maxLive: 9, maxEnded: 9 }
    const enqueue = async (uuid: string, change: Partial<Recrawl> = {}) =>
      (await store.recrawls.enqueue(recrawl(uuid, change), limits))?.uuid
    assert.deepEqual(await store.recrawls.enqueue(recrawl('c1'), limits), recrawl('c1'))
    assert.equal(await enqueue('c2'), 'c1')
    assert.equal(await enqueue('c3', { url: url('b') }), 'c3')
    assert.equal(await enqueue('c4', { project: 'p2' }), 'c4')
    assert.equal(await enqueue('c5', { project: 'p9' }), undefined)
    await store.recrawls.settle('c1', { status: 'running', reason: null, finishedAt: null })
    assert.equal(await enqueue('c6'), 'c6')
    assert.equal((await store.recrawls.list('p1', whole)).count, 3)
    const both = await Promise.all(['c7', 'c8'].map((uuid) => enqueue(uuid, { url: url('c') })))
    assert.equal(both[0], both[1])
  },
  async 'limits the live recrawls of a project, and the ended ones that are kept'(store) {
    await withProject(store)
    await store.projects.insert(project('p2'))
    const enqueue = async (n: number, change: Partial<Recrawl> = {}) => {
      const row = recrawl(`c${n}`, { url: url(`${n}`), createdAt: at(n), ...change })
      return (await store.recrawls.enqueue(row, { maxLive: 3, maxEnded: 2 })) !== null
    }
    assert.deepEqual(await Promise.all([1, 2, 3, 4].map((n) => enqueue(n))), [true, true, true, false])
    assert.equal(await enqueue(5, { project: 'p2' }), true)
    assert.equal(await enqueue(6, { url: url('1') }), true)
    await store.recrawls.settle('c1', { status: 'running', reason: null, finishedAt: null })
    assert.equal(await enqueue(7), false)
    for (const n of [1, 2, 3]) {
      await store.recrawls.settle(`c${n}`, { status: 'indexed', reason: null, finishedAt: at(9) })
    }
    assert.equal(await enqueue(8), true)
    const { rows } = await store.recrawls.list('p1', whole)
    assert.deepEqual(uuidsIn(rows), ['c8', 'c3', 'c2'])
  },
  async 'counts how often a recrawl was claimed since its release'(store) {
    await withProject(store)
    for (const uuid of ['c1', 'c2']) await store.recrawls.insert(recrawl(uuid))
    const times = []
    for (let n = 0; n < 3; n++) times.push(await store.recrawls.claim('c1'))
    assert.deepEqual(times, [1, 2, 3])
    assert.equal(await store.recrawls.claim('c2'), 1)
    await store.recrawls.release('c1')
    assert.equal(await store.recrawls.claim('c1'), 1)
    assert.equal(await store.recrawls.claim('c9'), 0)
    assert.deepEqual(await store.recrawls.get('p1', 'c1'), recrawl('c1'))
    await store.recrawls.settle('c1', { status: 'indexed', reason: null, finishedAt: at(3) })
    assert.equal(await store.recrawls.claim('c1'), 0)
  },
}

export const vocabularyCases: StoreCases = {
  async 'writes a complete vocabulary with a growing version'(store) {
    await withProject(store)
    assert.equal(await store.vocabulary.version('p1'), 0)
    assert.equal(await store.vocabulary.read('p1'), null)
    const first = await store.vocabulary.write('p1', new Uint8Array([1, 2]))
    const second = await store.vocabulary.write('p1', new Uint8Array([3]))
    assert(second > first && first > 0)
    assert.equal(await store.vocabulary.version('p1'), second)
    assert.deepEqual(await store.vocabulary.read('p1'), { version: second, terms: new Uint8Array([3]) })
  },
}

export const analyticsCases: StoreCases = {
  async 'reads events of a project and a time span, oldest first, each once'(store) {
    await withProject(store)
    await store.projects.insert(project('p2'))
    const first = searched('e2', 1, { kind: 'click', query: null, url: 'https://docs.test/', number: null })
    await store.analytics.record([searched('e3', 2), first, searched('e1', 2)])
    await store.analytics.record([searched('e2', 9), searched('e4', 4), searched('e5', 3, { project: 'p2' })])
    const uuids = async (from: number, to: number, after: string | null, limit = 9) =>
      (await store.analytics.read('p1', { from: at(from), to: at(to) }, after, limit)).map((row) => row.uuid)
    assert.deepEqual(await uuids(0, 9, null), ['e2', 'e1', 'e3', 'e4'])
    assert.deepEqual(await uuids(1, 4, null), ['e2', 'e1', 'e3'])
    assert.deepEqual(await uuids(2, 9, null), ['e1', 'e3', 'e4'])
    assert.deepEqual(await uuids(0, 9, 'e1', 1), ['e3'])
    const [row] = await store.analytics.read('p1', { from: at(0), to: at(9) }, null, 1)
    assert.deepEqual(row, first)
  },
  async 'expires events of a project by time, oldest first, up to the limit'(store) {
    await withProject(store)
    await store.projects.insert(project('p2'))
    await store.analytics.record([
      searched('e3', 3),
      searched('e1', 1),
      searched('e2', 2),
      searched('e0', 0, { project: 'p2' }),
    ])
    const left = async (of: string) =>
      (await store.analytics.read(of, { from: at(0), to: at(9) }, null, 9)).map(({ uuid }) => uuid)
    assert.equal(await store.analytics.expire('p1', at(3), 1), 1)
    assert.deepEqual(await left('p1'), ['e2', 'e3'])
    assert.equal(await store.analytics.expire('p1', at(3), 9), 1)
    assert.equal(await store.analytics.expire('p1', at(3), 9), 0)
    assert.equal(await store.analytics.expire('unknown', at(9), 9), 0)
    assert.deepEqual([await left('p1'), await left('p2')], [['e3'], ['e0']])
  },
  async 'counts events by day, measure and key, each once'(store) {
    await withProject(store)
    await store.projects.insert(project('p2'))
    const batch = [
      searched('e1', 1, { query: ' Async  IO' }),
      searched('e2', 2, { query: 'async io', number: 0 }),
      searched('e3', 3, { query: '__proto__' }),
      clicked('e4', 4, 'https://docs.test/a#b'),
      clicked('e5', day + 4, 'https://docs.test/a'),
      clicked('e6', day + 4, null),
      searched('e7', 5, { project: 'p2' }),
      searched('e8', 5, { project: 'unknown' }),
    ]
    await store.analytics.record(batch)
    const first = {
      day: '2026-01-02',
      counts: {
        search: Object.fromEntries([
          ['async io', 2],
          ['__proto__', 1],
        ]),
        no_result_search: { 'async io': 1 },
        click: { 'https://docs.test/a': 1 },
      },
    }
    const second = { day: '2026-01-03', counts: { click: { 'https://docs.test/a': 1, '': 1 } } }
    assert.deepEqual(await tallies(store), [first, second])
    await store.analytics.record([searched('e1', 9, { query: 'other' }), ...batch.toReversed()])
    assert.deepEqual(await tallies(store), [first, second])
    assert.deepEqual(await tallies(store, { from: '2026-01-03', to: '2026-01-03' }), [second])
    assert.deepEqual(await tallies(store, { from: '2026-01-02', to: '2026-01-02' }), [first])
    const only = await store.analytics.daily('p1', allDays, ['click'])
    assert.deepEqual(
      only.map(({ day, measure }) => [day, measure]),
      [
        ['2026-01-02', 'click'],
        ['2026-01-03', 'click'],
      ],
    )
    await store.analytics.record([searched('e9', day + 9)])
    assert.deepEqual((await tallies(store))[1]!.counts.search, { 'query e9': 1 })
    assert.deepEqual(await tallies(store, allDays, 'unknown'), [])
  },
  async 'lists the most frequent keys of a range, merged over days'(store) {
    await withProject(store)
    const queries = ['b', 'c', 'a', 'b', 'c', '', 'd', 'd', 'd']
    await store.analytics.record(queries.map((query, n) => searched(`e${n}`, n < 3 ? n : day + n, { query })))
    const top = (limit: number, range = allDays) => store.analytics.keys('p1', range, 'search', limit)
    const keys = [
      { key: 'd', count: 3 },
      { key: 'b', count: 2 },
      { key: 'c', count: 2 },
      { key: 'a', count: 1 },
    ]
    assert.deepEqual(await top(10), { unique: 4, top: keys })
    assert.deepEqual(await top(2), { unique: 4, top: keys.slice(0, 2) })
    assert.deepEqual(await top(1, { from: '2026-01-02', to: '2026-01-02' }), {
      unique: 3,
      top: [{ key: 'a', count: 1 }],
    })
    assert.deepEqual(await store.analytics.keys('unknown', allDays, 'search', 1), { unique: 0, top: [] })
  },
  async 'bounds the text of the keys of a day: later ones count without a key'(store) {
    await withProject(store)
    const pages = Array.from({ length: 520 }, (_, n) => `https://docs.test/${n}`.padEnd(2_000, '-'))
    await store.analytics.record(pages.map((page, n) => clicked(`e${n}`, 1, page)))
    await store.analytics.record([
      clicked('again', 1, pages[0]!),
      clicked('next', day, 'https://docs.test/next'),
    ])
    assert.deepEqual(await store.analytics.daily('p1', allDays, ['click']), [
      { day: '2026-01-02', measure: 'click', sum: 521, unique: 500 },
      { day: '2026-01-03', measure: 'click', sum: 1, unique: 1 },
    ])
    const { unique, top } = await store.analytics.keys('p1', allDays, 'click', 1)
    assert.deepEqual([unique, top], [501, [{ key: pages[0], count: 2 }]])
  },
  async 'counts all concurrent events'(store) {
    await withProject(store)
    const batches = Array.from({ length: 8 }, (_, n) => [
      searched(`a${n}`, n, { query: 'q' }),
      searched(`b${n}`, day + n, { query: 'q' }),
    ])
    await Promise.all([
      ...batches.map((batch) => store.analytics.record(batch)),
      ...batches.map((batch) => store.analytics.record(batch)),
      ...batches.map(() => tallies(store)),
    ])
    assert.deepEqual(
      (await tallies(store)).map(({ counts }) => counts),
      [{ search: { q: 8 } }, { search: { q: 8 } }],
    )
  },
  async 'expired events count as zero'(store) {
    await withProject(store)
    await store.analytics.record([
      searched('e1', 1, { query: 'q', number: 0 }),
      searched('e2', 2, { query: 'q' }),
      clicked('e3', 3, null),
    ])
    await tallies(store)
    await store.analytics.expire('p1', at(2), 9)
    assert.deepEqual(await tallies(store), [
      { day: '2026-01-02', counts: { search: { q: 1 }, click: { '': 1 } } },
    ])
    assert.deepEqual(await keysOf(store.analytics, '2026-01-02', 'no_result_search'), [])
    await store.analytics.expire('p1', at(9), 9)
    assert.deepEqual(await tallies(store), [])
    await store.analytics.record([searched('e4', 4)])
    await store.projects.delete('p1')
    assert.deepEqual(await tallies(store), [])
  },
  async 'counts calls of MCP clients by client and tool'(store) {
    await withProject(store)
    const mcp = (uuid: string, kind: 'session' | 'tool_call', name: string | null, failed = 0) =>
      searched(uuid, 1, { kind, name, query: null, number: kind === 'session' ? null : failed })
    const events = [
      mcp('e1', 'session', 'agent 1.0'),
      mcp('e2', 'session', null),
      mcp('e3', 'tool_call', 'search'),
      mcp('e4', 'tool_call', 'search', 1),
    ]
    await store.analytics.record(events)
    assert.deepEqual(await tallies(store), [
      {
        day: '2026-01-02',
        counts: {
          session: { 'agent 1.0': 1, '': 1 },
          tool_call: { search: 2 },
          tool_error: { search: 1 },
        },
      },
    ])
    assert.deepEqual(await store.analytics.read('p1', { from: at(0), to: at(9) }, null, 9), events)
  },
}
