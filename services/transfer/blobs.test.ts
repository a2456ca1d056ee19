// Uploaded files go along with their sources, piece by piece.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { project, source } from '../../test/contract/store-case.ts'
import { openSegmentIndex } from '../index/segments/segment-index.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import { exportStore } from './export-store.ts'
import { importStore } from './import-store.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-blobs-'))
})
afterAll(() => rm(folder, { recursive: true }))

const large = Buffer.alloc(2_500_001, 'What was uploaded is moved. ')

test('files that were uploaded are where their sources are moved to', async () => {
  const [from, to] = [await openSqliteStore(':memory:'), await openSqliteStore(':memory:')]
  const index = await openSegmentIndex(join(folder, 'index'))
  await from.teams.insert({ uuid: 't1', name: 'Team', createdAt: '2026-01-01T00:00:00.000Z' })
  await from.projects.insert(project())
  for (const [blob, bytes] of [
    ['small', Buffer.from('x')],
    ['large', large],
  ] as const) {
    const { size } = await from.blobs.put(
      blob,
      (async function* () {
        yield bytes
      })(),
    )
    await from.sources.insert(
      source(blob, { type: 'file', url: '', identity: blob, options: { blob, size } }),
    )
  }
  await from.sources.insert(source('web'))

  const archive = { path: join(folder, 'archive'), secret: 's' }
  await exportStore({ ...archive, store: from, now: () => new Date(), progress: () => {} })
  // Twice, as after a kill.
  for (const _ of [1, 2]) {
    const target = { store: to, index, isOtherSecret: false, progress: () => {} }
    expect((await importStore({ ...archive, ...target })).differing).toEqual(new Map())
  }
  expect(await to.blobs.read('small', 0, 10)).toEqual(Buffer.from('x'))
  expect(large.equals((await to.blobs.read('large', 0, 3_000_000)) as Uint8Array)).toBe(true)
  await Promise.all([from.close(), to.close(), index.close()])
})
