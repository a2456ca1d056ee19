import { expect, onTestFinished, test } from 'vitest'
import { project } from '../../test/contract/store-case.ts'
import type { Runs } from '../runs/runs.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import { startRun } from './start-run.ts'

test('treats a run that a process with a slow clock began as the latest', async () => {
  const store = await openSqliteStore(':memory:')
  onTestFinished(() => store.close())
  await store.projects.insert(project())
  const runs = { ping: async () => {}, startSync: async () => {} } as unknown as Runs
  const begin = (uuid: string, time: string) =>
    startRun({ store, runs, now: () => new Date(time), newUuid: () => uuid }, project(), 'api')
  await begin('first', '2026-01-01T00:05:00.000Z')
  await begin('second', '2026-01-01T00:00:00.000Z')
  expect((await store.runs.latest('p1'))?.uuid).toBe('second')
  const { rows } = await store.runs.list('p1', { offset: 0, limit: 9 })
  expect(rows.map(({ uuid }) => uuid)).toEqual(['second', 'first'])
  expect(await store.runs.get('p1', 'first')).toMatchObject({ status: 'cancelled', supersededBy: 'second' })
})
