// The contract of runs and their event log.
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { type EventFilter, maxRuns, runsWithEvents } from '../../services/store/run.ts'
import {
  at,
  event,
  listing,
  project,
  publication,
  run,
  type StoreCases,
  settlement,
  url,
  uuidsIn,
  whole,
  withProject,
  withRun,
} from './store-case.ts'

const none = {
  discovered: 0,
  pending: 0,
  fetched: 0,
  unchanged: 0,
  added: 0,
  updated: 0,
  skipped: 0,
  failed: 0,
  removed: 0,
}

export const runCases: StoreCases = {
  async 'a run begins with the next fence and is returned as written'(store) {
    await withProject(store)
    const begun = await store.runs.begin(run('r1'))
    assert(begun !== null)
    assert.equal(begun.superseded, null)
    assert.deepEqual(begun.run, { ...run('r1'), fence: begun.run.fence })
    assert.deepEqual(await store.runs.get('p1', 'r1'), { ...begun.run, pages: none })
    assert.equal(await store.runs.get('p9', 'r1'), null)
    assert.equal(await store.runs.begin(run('r2', { project: 'p9' })), null)
  },
  async 'keeps the event logs of the newest runs'(store) {
    await withProject(store)
    const logOf = async (uuid: string) => (await store.runs.events(uuid, {}, whole)).count
    for (let n = 0; n <= runsWithEvents; n++) {
      await store.runs.begin(run(`r${n}`, { createdAt: at(n + 1) }))
      await store.runs.append(`r${n}`, [event('a'), event('b')])
      await store.runs.finish(`r${n}`, { status: 'completed', at: at(n + 1), error: null })
    }
    // They are deleted in the background, some time after the end of a run.
    for (let tries = 0; tries < 200 && (await logOf('r0')) > 0; tries++) await setTimeout(10)
    assert.equal(await logOf('r0'), 0)
    for (let n = 1; n <= runsWithEvents; n++) assert.equal(await logOf(`r${n}`), 2)
    assert.equal((await store.runs.list('p1', whole)).count, runsWithEvents + 1)
  },
  async 'keeps the newest runs'(store) {
    await withProject(store)
    for (let n = 0; n <= maxRuns; n++) {
      const ended = run(`r${n}`, { createdAt: at(n), status: 'completed', finishedAt: at(n) })
      await store.runs.restore({ ...ended, fence: 0, pages: none }, [])
    }
    await store.runs.begin(run('last', { createdAt: at(999) }))
    await store.runs.finish('last', { status: 'failed', at: at(999), error: null })
    const count = async () => (await store.runs.list('p1', { offset: 0, limit: 1 })).count
    // They are deleted in the background, some time after the end of a run.
    for (let tries = 0; tries < 500 && (await count()) > maxRuns; tries++) await setTimeout(10)
    assert.equal(await count(), maxRuns)
    assert.equal(await store.runs.get('p1', 'r1'), null)
    assert.equal((await store.runs.get('p1', 'r2'))?.status, 'completed')
    assert.equal((await store.runs.latest('p1'))?.uuid, 'last')
  },
  async 'a new run cancels the live one before it and voids its fence'(store) {
    const fence = await withRun(store)
    const second = await store.runs.begin(run('r2', { createdAt: at(5) }))
    assert(second !== null)
    assert.equal(second.superseded, 'r1')
    assert(second.run.fence > fence)
    const first = await store.runs.get('p1', 'r1')
    assert.equal(first?.status, 'cancelled')
    assert.equal(first?.finishedAt, at(5))
    assert.equal(first?.supersededBy, 'r2')
    assert.equal(await store.runs.holds({ uuid: 'r1', project: 'p1', fence }), false)
    assert.equal(await store.runs.holds({ uuid: 'r2', project: 'p1', fence: second.run.fence }), true)
    assert.equal(await store.runs.holds({ uuid: 'r2', project: 'p1', fence }), false)
    assert.deepEqual(uuidsIn(await store.runs.live()), ['r2'])
  },
  async 'beginning the same run again changes nothing and returns the same'(store) {
    await withRun(store)
    const second = await store.runs.begin(run('r2', { createdAt: at(5) }))
    assert.deepEqual(await store.runs.begin(run('r2', { createdAt: at(5) })), second)
    assert.equal((await store.runs.get('p1', 'r2'))?.fence, second?.run.fence)
    await store.runs.begin(run('r3', { createdAt: at(6) }))
    assert.deepEqual(await store.runs.begin(run('r2', { createdAt: at(5) })), second)
    assert.deepEqual(uuidsIn(await store.runs.live()), ['r3'])
  },
  async 'only a queued run starts'(store) {
    await withProject(store)
    await store.runs.begin(run('r1'))
    assert.equal(await store.runs.start('r1', at(2)), true)
    assert.equal(await store.runs.start('r1', at(3)), false)
    assert.equal(await store.runs.start('r9', at(3)), false)
    const started = await store.runs.get('p1', 'r1')
    assert.equal(started?.status, 'running')
    assert.equal(started?.startedAt, at(2))
  },
  async 'a run ends once, its fence is void, and its counts are final'(store) {
    const fence = await withRun(store)
    await store.frontier.discover('r1', [listing('a'), listing('b')])
    await store.frontier.settle('r1', [settlement('a')])
    const end = { status: 'failed', at: at(4), error: 'Why.', sourcesFailed: 2 } as const
    assert.equal((await store.runs.get('p1', 'r1'))?.sourcesFailed, 0)
    assert.equal(await store.runs.finish('r1', end), true)
    assert.equal(await store.runs.finish('r1', { status: 'completed', at: at(5), error: null }), false)
    assert.equal(await store.runs.finish('r9', { status: 'completed', at: at(5), error: null }), false)
    const ended = await store.runs.get('p1', 'r1')
    assert.equal(ended?.status, 'failed')
    assert.equal(ended?.finishedAt, at(4))
    assert.equal(ended?.error, 'Why.')
    assert.equal(ended?.sourcesFailed, 2)
    assert.equal(await store.runs.holds({ uuid: 'r1', project: 'p1', fence }), false)
    assert.deepEqual(await store.runs.live(), [])
    assert.equal(await store.frontier.settle('r1', [settlement('b')]), false)
    assert.equal(await store.frontier.discover('r1', [listing('c')]), 0)
    assert.deepEqual(await store.frontier.next('r1', 's1', 5), [])
    assert.deepEqual(await store.frontier.states('r1', [url('a')]), [null])
    assert.deepEqual((await store.runs.get('p1', 'r1'))?.pages, {
      ...none,
      discovered: 2,
      pending: 1,
      added: 1,
      fetched: 1,
    })
  },
  async 'rejects writes of an ended run, with or without a next run'(store) {
    const fence = await withRun(store)
    await store.pages.publish('p1', fence, [publication('a')])
    await store.runs.finish('r1', { status: 'cancelled', at: at(4), error: null })
    for (const later of [null, run('r2', { createdAt: at(5) })]) {
      if (later !== null) await store.runs.begin(later)
      assert.deepEqual(await store.pages.publish('p1', fence, [publication('b')]), ['fenced'])
      await store.pages.seen('p1', fence, [{ uuid: 'page-a', sources: ['s2'], fetchedAt: at(8) }])
      await store.pages.hold('r1', fence, ['page-a'])
      assert.equal(await store.pages.remove('p1', fence, ['page-a']), 0)
      const [stored] = await store.pages.byUrls('p1', [url('a')])
      assert.deepEqual([stored?.fetchedAt, stored?.etag, stored?.heldBy], [at(2), null, null])
      assert.deepEqual(stored?.sources, ['s1'])
    }
  },
  async 'lists runs newest first; the latest is the newest'(store) {
    await withProject(store)
    assert.equal(await store.runs.latest('p1'), null)
    for (const n of [1, 2, 3]) await store.runs.begin(run(`r${n}`, { createdAt: at(n) }))
    const all = await store.runs.list('p1', whole)
    assert.equal(all.count, 3)
    assert.deepEqual(uuidsIn(all.rows), ['r3', 'r2', 'r1'])
    assert.deepEqual(uuidsIn((await store.runs.list('p1', { offset: 1, limit: 1 })).rows), ['r2'])
    assert.equal((await store.runs.latest('p1'))?.uuid, 'r3')
    assert.deepEqual((await store.runs.list('p9', whole)).rows, [])
  },
  async 'lists live runs of all projects, oldest first'(store) {
    await withProject(store)
    await store.projects.insert(project('p2'))
    await store.runs.begin(run('r1', { createdAt: at(5) }))
    await store.runs.begin(run('r2', { project: 'p2', createdAt: at(3) }))
    assert.deepEqual(
      (await store.runs.live()).map((live) => [live.uuid, live.project]),
      [
        ['r2', 'p2'],
        ['r1', 'p1'],
      ],
    )
  },
  async 'numbers events from 1 without gaps, each id once, oldest first'(store) {
    await withRun(store)
    await store.frontier.discover('r1', [listing('a'), listing('b')])
    await store.runs.append('r1', [event('start', { type: 'run_started', url: null })])
    await store.frontier.settle('r1', [settlement('a', { event: event('a') })])
    await store.runs.append('r1', [event('start'), event('warn', { level: 'warning' }), event('warn')])
    await store.frontier.settle('r1', [settlement('b', { outcome: 'failed', event: event('b') })])
    const { count, rows } = await store.runs.events('r1', {}, whole)
    assert.equal(count, 4)
    assert.deepEqual(
      rows.map((row) => [row.sequence, row.id]),
      [
        [1, 'start'],
        [2, 'a'],
        [3, 'warn'],
        [4, 'b'],
      ],
    )
    assert.deepEqual(rows[1], { ...event('a'), sequence: 2 })
    const part = await store.runs.events('r1', {}, { offset: 1, limit: 2 })
    assert.equal(part.count, 4)
    assert.deepEqual(
      part.rows.map((row) => row.id),
      ['a', 'warn'],
    )
  },
  async 'filters events by level, type, address, reason, source and sequence'(store) {
    await withRun(store)
    await store.runs.append('r1', [
      event('x', { level: 'error', type: 'page_failed', reason: 'timeout' }),
      event('y', { sourceUuid: 's2' }),
      event('z', { level: 'error', url: url('x/z') }),
      event('w', { url: null, sourceUuid: null }),
    ])
    const ids = async (filter: EventFilter) => {
      const { count, rows } = await store.runs.events('r1', filter, whole)
      return [count, ...rows.map((row) => row.id)]
    }
    assert.deepEqual(await ids({ level: 'error' }), [2, 'x', 'z'])
    assert.deepEqual(await ids({ type: 'page_added' }), [3, 'y', 'z', 'w'])
    assert.deepEqual(await ids({ level: 'error', type: 'page_added' }), [1, 'z'])
    assert.deepEqual(await ids({ url: url('x') }), [1, 'x'])
    assert.deepEqual(await ids({ reason: 'timeout' }), [1, 'x'])
    assert.deepEqual(await ids({ sourceUuid: 's2' }), [1, 'y'])
    assert.deepEqual(await ids({ after: 2 }), [2, 'z', 'w'])
    assert.deepEqual(await ids({ after: 2, url: url('x/z') }), [1, 'z'])
  },
  async 'lists the events of an address from the newest runs, newest first'(store) {
    await withProject(store)
    const about = (id: string) => event(id, { url: url('a') })
    for (let n = 0; n < 3; n++) {
      await store.runs.begin(run(`r${n}`, { createdAt: at(n + 1) }))
      await store.runs.append(`r${n}`, [
        about(`page:${url('a')}`),
        event(`page:${url('b')}`),
        about(`removed:${url('a')}`),
      ])
      await store.runs.finish(`r${n}`, { status: 'completed', at: at(n + 1), error: null })
    }
    await store.projects.insert(project('p2'))
    const found = await store.runs.eventsByUrl('p1', url('a'), 5)
    assert.deepEqual(
      found.map(({ sequence, id }) => [sequence, id]),
      [1, 3, 1, 3, 1].map((n) => [n, n === 1 ? `page:${url('a')}` : `removed:${url('a')}`]),
    )
    assert.deepEqual(await store.runs.eventsByUrl('p1', url('c'), 5), [])
    assert.deepEqual(await store.runs.eventsByUrl('p2', url('a'), 5), [])
  },
  async 'an ended run accepts its last event and no other'(store) {
    await withRun(store)
    await store.frontier.discover('r1', [listing('a')])
    await store.runs.append('r1', [event('start')])
    await store.runs.finish('r1', { status: 'completed', at: at(4), error: null })
    await store.runs.append('r1', [event('late')])
    await store.frontier.settle('r1', [settlement('a', { event: event('a') })])
    await store.runs.appendLast('r1', event('end', { type: 'run_finished' }))
    await store.runs.appendLast('r1', event('end', { type: 'run_finished' }))
    assert.deepEqual(
      (await store.runs.events('r1', {}, whole)).rows.map((row) => [row.sequence, row.id]),
      [
        [1, 'start'],
        [2, 'end'],
      ],
    )
  },
  async 'counts how often a run was claimed since its last progress or release'(store) {
    const fence = await withRun(store)
    const times = async (n: number) => {
      const counted = []
      for (let time = 0; time < n; time++) counted.push(await store.runs.claim('r1'))
      return counted
    }
    assert.deepEqual(await times(3), [1, 2, 3])
    await store.frontier.discover('r1', [listing('a')])
    assert.deepEqual(await times(2), [1, 2])
    await store.frontier.discover('r1', [listing('a')])
    assert.deepEqual(await times(1), [3])
    await store.frontier.settle('r1', [settlement('a', { event: event('a') })])
    assert.deepEqual(await times(2), [1, 2])
    await store.runs.append('r1', [event('b')])
    assert.deepEqual(await times(1), [3])
    await store.pages.publish('p1', fence, [publication('a')])
    await store.pages.remove('p1', fence, ['page-a'])
    assert.deepEqual(await times(2), [1, 2])
    await store.runs.release('r1')
    assert.deepEqual(await times(2), [1, 2])

    const [found] = await store.runs.live()
    assert.deepEqual(Object.keys(found ?? {}).sort(), Object.keys({ ...run('r1'), fence }).sort())
    await store.runs.finish('r1', { status: 'failed', at: at(9), error: 'Given up.' })
    assert.deepEqual(await times(1), [0])
    assert.equal(await store.runs.claim('r9'), 0)
  },
}
