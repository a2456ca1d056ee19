// WatchSync without a run UUID.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { at, project, run, withProject } from '../../test/contract/store-case.ts'
import { toHandlerContext } from '../../test/handler-context.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { startScheduled } from './start-run.ts'
import { createSyncService } from './sync-service.ts'

const context = toHandlerContext({ project: project() })
let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  await withProject(store)
})
afterEach(() => store.close())

/** Returns the run in the first message. */
async function watched(syncUuid: string): Promise<string | null | undefined> {
  const service = createSyncService({ store, embedding: { progress: async () => null } } as never)
  for await (const { run } of service.watchSync({ syncUuid } as never, context)) return run?.uuid
  throw new Error('nothing was told')
}

it('watches the latest run', async () => {
  for (const [minute, uuid] of ['older', 'latest'].entries()) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
    await store.runs.begin(run(uuid, { createdAt: at }))
  }
  expect(await watched('')).toBe('latest')
  expect(await watched('older')).toBe('older')
})

it('rejects a sync of a project without sources', async () => {
  for (const uuid of ['s1', 's2']) await store.sources.delete('p1', uuid)
  const service = createSyncService({ store } as never)
  await expect(service.startSync({} as never, context)).rejects.toMatchObject({ reason: 'no_sources' })
})

it('skips a scheduled sync of a project without sources', async () => {
  for (const uuid of ['s1', 's2']) await store.sources.delete('p1', uuid)
  const runs = { ping: async () => expect.unreachable() }
  await startScheduled({ store, runs } as never, 'p1')
  expect(await store.runs.latest('p1')).toBeNull()
})

it('reads the run once for all watchers', async () => {
  await store.runs.begin(run('r1'))
  let reads = 0
  const get = (...args: Parameters<Store['runs']['get']>) => {
    reads += 1
    return store.runs.get(...args)
  }
  const counted = { ...store, runs: { ...store.runs, get } }
  const service = createSyncService({ store: counted, embedding: { progress: async () => null } } as never)
  const watch = async () => {
    const states: unknown[] = []
    for await (const { run } of service.watchSync({ syncUuid: 'r1' } as never, context)) {
      states.push(run?.status)
      if (states.length === 1) await store.runs.finish('r1', { status: 'failed', at: at(5), error: null })
    }
    return states.length
  }
  const counts = await Promise.all(Array.from({ length: 200 }, watch))
  expect(counts).toEqual(Array(200).fill(2))
  expect(reads).toBeLessThan(20)
})

it('reports a project without runs as never_synced', async () => {
  await expect(watched('')).rejects.toMatchObject({ reason: 'never_synced' })
})
