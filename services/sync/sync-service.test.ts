// WatchSync without a run's uuid.
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { project, run, withProject } from '../../test/contract/store-case.ts'
import { projectKey } from '../context.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { createSyncService } from './sync-service.ts'

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  await withProject(store)
})
afterEach(() => store.close())

/** The run that is told of first. */
async function watched(syncUuid: string): Promise<string | undefined> {
  const service = createSyncService({ store, embedding: { progress: async () => null } } as never)
  const values = createContextValues().set(projectKey, project())
  const context = { values, signal: new AbortController().signal } as HandlerContext
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

it('says of a project without runs that it was never synced', async () => {
  await expect(watched('')).rejects.toMatchObject({ reason: 'never_synced' })
})
