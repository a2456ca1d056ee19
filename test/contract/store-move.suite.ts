// The contract for moving a store to another driver: everything can be read, and ended runs can be written.
import assert from 'node:assert/strict'
import type { LoggedEvent, RunWithCounts } from '../../services/store/run.ts'
import { at, event, recrawl, run, type StoreCases, uuidsIn, whole, withProject } from './store-case.ts'

const ended = (uuid = 'r1', change: Partial<RunWithCounts> = {}): RunWithCounts => ({
  ...run(uuid),
  fence: 7,
  status: 'completed',
  startedAt: at(2),
  finishedAt: at(9),
  pages: {
    discovered: 9,
    pending: 1,
    fetched: 8,
    unchanged: 1,
    added: 2,
    updated: 1,
    skipped: 3,
    failed: 1,
    removed: 4,
  },
  ...change,
})

const logged = (sequence: number, id: string): LoggedEvent => ({ ...event(id), sequence })

export const moveCases: StoreCases = {
  async 'lists all teams, oldest first'({ teams }) {
    for (const n of [2, 1, 3]) await teams.insert({ uuid: `t${n}`, name: `Team ${n}`, createdAt: at(n) })
    assert.deepEqual(uuidsIn(await teams.all()), ['t1', 't2', 't3'])
  },
  async 'restores an ended run unchanged, once, with its events'(store) {
    await withProject(store)
    await store.runs.restore(ended(), [logged(1, 'a'), logged(2, 'b')])
    await store.runs.restore(ended('r1', { status: 'failed' }), [logged(1, 'c')])
    assert.deepEqual(await store.runs.get('p1', 'r1'), ended())
    assert.deepEqual(await store.runs.events('r1', {}, whole), {
      count: 2,
      rows: [logged(1, 'a'), logged(2, 'b')],
    })
  },
  async 'a restored run is not live, and does not affect a live one'(store) {
    await withProject(store)
    const begun = await store.runs.begin(run('now', { createdAt: at(20) }))
    await store.runs.restore(ended(), [])
    assert(begun !== null)
    assert.equal(await store.runs.holds(begun.run), true)
    assert.equal(await store.runs.holds(ended()), false)
    assert.deepEqual(uuidsIn(await store.runs.live()), ['now'])
    assert.deepEqual(uuidsIn((await store.runs.list('p1', whole)).rows), ['now', 'r1'])
  },
  async 'does not restore a run of a deleted project'(store) {
    await withProject(store)
    await store.projects.delete('p1')
    await store.runs.restore(ended(), [logged(1, 'a')])
    assert.equal(await store.runs.get('p1', 'r1'), null)
  },
  async 'lists recrawls newest first, in their project'(store) {
    await withProject(store)
    for (const n of [2, 1, 3]) await store.recrawls.insert(recrawl(`c${n}`, { createdAt: at(n) }))
    const { count, rows } = await store.recrawls.list('p1', { offset: 1, limit: 2 })
    assert.equal(count, 3)
    assert.deepEqual(rows, [recrawl('c2', { createdAt: at(2) }), recrawl('c1', { createdAt: at(1) })])
    assert.deepEqual(await store.recrawls.list('p2', whole), { count: 0, rows: [] })
  },
  async 'reads stored vectors in pages, by model and hash'({ vectors }) {
    const vector = Float32Array.of(0.5, -1)
    await vectors.write('n', [{ hash: 'a', vector }], at(1))
    for (const hash of ['b', 'a', 'c']) await vectors.write('m', [{ hash, vector }], at(2))
    const first = await vectors.scan(null, 2)
    assert.deepEqual(first, [
      { model: 'm', hash: 'a', vector, usedAt: at(2) },
      { model: 'm', hash: 'b', vector, usedAt: at(2) },
    ])
    assert.deepEqual(
      (await vectors.scan({ model: 'm', hash: 'b' }, 9)).map(({ model, hash }) => model + hash),
      ['mc', 'na'],
    )
  },
}
