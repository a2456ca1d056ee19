// A worker blames a run for the death of another worker only where it was alone.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../services/store/store.ts'
import { project, run } from '../../test/contract/store-case.ts'
import { createSuspectQueue } from '../suspects.ts'
import { createLiveRuns } from './live-runs.ts'

const at = new Date('2026-01-02T00:00:00Z')
const never = new AbortController().signal
const works = ['a', 'b', 'new'].map((name) => ({ uuid: `r-${name}`, project: name }))
const [a, b, fresh] = works as [(typeof works)[0], (typeof works)[0], (typeof works)[0]]

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  for (const { uuid, project: name } of works) {
    await store.projects.insert(project(name))
    await store.runs.begin(run(uuid, { project: name }))
  }
  // Two runs of one worker, which has died.
  for (const { uuid } of [a, b]) {
    await store.runs.start(uuid, at.toISOString())
    await store.runs.claim(uuid)
  }
})
afterEach(() => store.close())

function openWorker(suspects = createSuspectQueue()) {
  const unused = {} as never
  const parts = { index: unused, fetcher: unused, parsePool: unused, pageLimit: null, addressLimit: 1 }
  return createLiveRuns({ ...parts, store, now: () => at, report: () => {} }, suspects)
}

test('of two runs of a worker that has died, the second waits for the first, and a new run does not', async () => {
  const worker = openWorker()
  const stop = new AbortController()
  await worker.claim(a, never)
  const second = worker.claim(b, stop.signal)
  await worker.claim(fresh, never)
  stop.abort(new Error('stopped'))
  await expect(second).rejects.toThrow('stopped')
  expect([await store.runs.claim(a.uuid), await store.runs.claim(b.uuid)]).toEqual([3, 2])
})

test('it begins when the first has ended', async () => {
  const worker = openWorker()
  await worker.claim(a, never)
  const second = worker.claim(b, never)
  worker.forget(a.uuid)
  await second
  expect([await store.runs.claim(a.uuid), await store.runs.claim(b.uuid)]).toEqual([3, 3])
})

test('when the first is slow it begins all the same, and the first is not to blame for what comes then', async () => {
  const worker = openWorker(createSuspectQueue(1))
  await worker.claim(a, never)
  await worker.claim(b, never)
  expect(await store.runs.claim(a.uuid)).toBe(1)
})
