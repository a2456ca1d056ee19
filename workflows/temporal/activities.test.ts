// A worker counts the death of another worker against a run only if the run was alone there, and fails it after the third.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../services/store/store.ts'
import { project, run } from '../../test/contract/store-case.ts'
import { createRecovery } from '../recovery.ts'
import { RunEnded } from '../run-control.ts'
import { createRunSteps, type Heartbeat } from './activities.ts'

const at = new Date('2026-01-02T00:00:00Z')
const works = ['a', 'b', 'new'].map((name) => ({ uuid: `r-${name}`, project: name }))
const [a, b, fresh] = works as [(typeof works)[0], (typeof works)[0], (typeof works)[0]]

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  for (const { uuid, project: name } of works) {
    await store.projects.insert(project(name))
    await store.runs.begin(run(uuid, { project: name }))
  }
  // Two runs of one worker that has died.
  for (const { uuid } of [a, b]) {
    await store.runs.start(uuid, at.toISOString())
    await store.runs.claim(uuid)
  }
})
afterEach(() => store.close())

function openWorker(turnTimeout?: number) {
  const unused = {} as never
  const parts = {
    index: unused,
    fetcher: { forProject: () => unused } as never,
    parsePool: unused,
    credentials: unused,
    pageLimit: null,
    base: 'http://127.0.0.1',
    addressLimit: 1,
    abandonedVersion: () => 0,
  }
  const deps = { ...parts, store, now: () => at, report: () => {} }
  const doStep = createRunSteps(deps, createRecovery(deps, { turnTimeout }))

  /** Starts a step that lasts until `end` is called. `begun` resolves when it may work. */
  return (work: (typeof works)[0], attempt: number) => {
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const stop = new AbortController()
    const heartbeat: Heartbeat = {
      ...{ signal: stop.signal, attempt, beat() {}, onBeat() {} },
      stop: (reason) => stop.abort(reason),
    }
    const done = doStep(work, heartbeat, async () => {
      begun.resolve()
      await Promise.race([
        end.promise,
        new Promise((_, reject) => stop.signal.addEventListener('abort', () => reject(stop.signal.reason))),
      ])
    })
    done.catch(begun.reject)
    begun.promise.catch(() => {})
    return { begun: begun.promise, done, end: end.resolve, stop: heartbeat.stop }
  }
}

test('makes the second of two runs of a dead worker wait for the first, but not a new run', async () => {
  const begin = openWorker()
  const first = begin(a, 2)
  await first.begun
  const second = begin(b, 2)
  await begin(fresh, 1).begun
  second.stop(new Error('stopped'))
  await expect(second.done).rejects.toThrow('stopped')
  expect([await store.runs.claim(a.uuid), await store.runs.claim(b.uuid)]).toEqual([3, 2])
})

test('starts the second run when the step of the first has ended', async () => {
  const begin = openWorker()
  const first = begin(a, 2)
  await first.begun
  const second = begin(b, 2)
  first.end()
  await first.done
  await second.begun
  expect(await store.runs.claim(b.uuid)).toBe(3)
})

test('starts the second run after a time, even if the first is slow, and does not count later deaths against the first', async () => {
  const begin = openWorker(1)
  await begin(a, 2).begun
  await begin(b, 2).begun
  expect(await store.runs.claim(a.uuid)).toBe(1)
})

test('counts no death for a step that ends or fails in order', async () => {
  const begin = openWorker()
  for (const end of [
    (step: ReturnType<typeof begin>) => step.end(),
    (step: ReturnType<typeof begin>) => step.stop(new Error('stopped')),
  ]) {
    const step = begin(a, 2)
    await step.begun
    end(step)
    await step.done.catch(() => {})
    expect(await store.runs.claim(a.uuid)).toBe(1)
  }
})

test('fails a run that has ended three workers at the same place', async () => {
  for (const times of [2, 3]) expect(await store.runs.claim(a.uuid)).toBe(times)
  await expect(openWorker()(a, 4).done).rejects.toBeInstanceOf(RunEnded)
  expect(await store.runs.get(a.project, a.uuid)).toMatchObject({
    status: 'failed',
    error: 'The run was interrupted 3 times at the same place, and failed.',
  })
})

test('stops an attempt that Temporal considers dead before the next one starts', async () => {
  const begin = openWorker()
  const first = begin(fresh, 1)
  await first.begun
  const second = begin(fresh, 2)
  await expect(first.done).rejects.toMatchObject({ type: 'HandedOver' })
  await second.begun
  second.end()
  await second.done
})
