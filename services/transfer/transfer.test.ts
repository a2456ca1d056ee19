import { chmod, copyFile, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { toQuery } from '../../test/contract/search-index.suite.ts'
import { at, project, source } from '../../test/contract/store-case.ts'
import { createFolder } from '../../test/folder.ts'
import { fillStore, rowsIn, termsOf } from '../../test/sync/filled-store.ts'
import { openSegmentIndex } from '../index/segments/segment-index.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import { type ExportOptions, exportStore, type ImportOptions, importStore } from './archive.ts'
import type { Target } from './kinds.ts'

const folder = createFolder()
let to: Target
let opened = 0

const now = () => new Date(at(60))
const quiet = () => {}

async function openTarget(): Promise<Target> {
  return {
    store: await openSqliteStore(':memory:'),
    index: await openSegmentIndex(join(folder, `index-${opened++}`)),
  }
}

const exportTo = (path: string, change: Partial<ExportOptions> = {}) =>
  exportStore({ store: from.store, path, secret: 'same', now, progress: quiet, ...change })

const importFrom = (path: string, change: Partial<ImportOptions> = {}) =>
  importStore({ ...to, path, secret: 'same', isOtherSecret: false, progress: quiet, ...change })

/** Checks that the target has exactly the rows of the archive. */
async function expectArrived(path: string) {
  const again = join(folder, 'again')
  await exportTo(again, { store: to.store })
  expect(await rowsIn(again)).toEqual(await rowsIn(path))
}

const from = await openTarget()
await fillStore(from)
const archive = join(folder, 'whole')
await exportTo(archive)
beforeEach(async () => {
  to = await openTarget()
})

test('imports everything, and exports the same archive again', async () => {
  expect(await importFrom(archive)).toEqual({
    team: 2,
    key: 120,
    member: 3,
    invitation: 3,
    project: 3,
    source: 2,
    page: 45,
    address: 2,
    run: 13,
    recrawl: 2,
    chat: 104,
    event: 230,
    vector: 101,
  })
  await expectArrived(archive)
})

test('only the owner can read an archive, even if a file of another user was there', async () => {
  const path = join(folder, 'private')
  await writeFile(`${path}.part`, 'of somebody else')
  await chmod(`${path}.part`, 0o666)
  await exportTo(path)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('finds the same results in the same order with the same scores', async () => {
  await importFrom(archive)
  const query = toQuery(termsOf('harbors lights 港'))
  const hits = await to.index.findByTerms('p1', query)
  expect(hits.length).toBe(45)
  expect(hits).toEqual(await from.index.findByTerms('p1', query))
  expect(await to.store.vocabulary.read('p1')).toEqual(await from.store.vocabulary.read('p1'))
})

test('imports a running run as cancelled, and a new one can start', async () => {
  await importFrom(archive)
  const run = await to.store.runs.get('p1', 'live')
  expect(run).toMatchObject({ status: 'cancelled', finishedAt: at(60) })
  expect(await to.store.runs.live()).toEqual([])
})

test('changes nothing when repeated', async () => {
  const counts = await importFrom(archive)
  expect(await importFrom(archive)).toEqual(counts)
  await expectArrived(archive)
})

test('finishes an interrupted import', async () => {
  const broken = {
    ...to.store,
    chats: { ...to.store.chats, append: () => Promise.reject(new Error('gone')) },
  }
  await expect(importFrom(archive, { store: broken })).rejects.toThrow('gone')
  await importFrom(archive)
  await expectArrived(archive)
})

test('keeps what the target already has', async () => {
  await to.store.projects.insert(project('p1', { name: 'Renamed' }))
  await importFrom(archive)
  expect(await to.store.projects.byUuid('p1')).toMatchObject({ name: 'Renamed' })
})

test('rejects an archive with another project of the same slug', async () => {
  await to.store.projects.insert(project('p9', { slug: 'slug-p1' }))
  await expect(importFrom(archive)).rejects.toThrow(/project .* same slug/)
})

test('starts an interrupted export from the beginning', async () => {
  const path = join(folder, 'cut')
  await exportTo(path)
  const before = await readFile(path)
  await copyFile(path, `${path}.part`)
  await truncate(`${path}.part`, Math.floor(before.length / 2))
  await from.store.projects.insert(project('late', { team: 't1', slug: 'late' }))
  try {
    expect((await exportTo(path)).project).toBe(4)
    await importFrom(path)
    await expectArrived(path)
    expect(await to.store.projects.byUuid('late')).not.toBeNull()
  } finally {
    await from.store.projects.delete('late')
  }
})

test.each([
  ['is truncated', (bytes: Buffer) => bytes.subarray(0, -200), 'incomplete'],
  [
    'lacks a row',
    (bytes: Buffer) => Buffer.from(bytes.toString().replace(/\n\{"kind":"key".*/, '')),
    'incomplete',
  ],
  ['is damaged', (bytes: Buffer) => Buffer.from(bytes.toString().replace('\n{"kind"', '\n{kind')), 'damaged'],
  ['is not an archive', () => Buffer.from('{"some": "json"}\n'), 'no archive'],
  ['is empty', () => Buffer.alloc(0), 'no archive'],
])('rejects an archive that %s before anything is written', async (_name, change, says) => {
  const path = join(folder, 'bad')
  await writeFile(path, change(await readFile(archive)))
  await expect(importFrom(path)).rejects.toMatchObject({
    reason: 'invalid',
    message: expect.stringContaining(says),
  })
  expect(await to.store.teams.all()).toEqual([])
})

test('rejects another LECTERN_SECRET, or omits the credentials', async () => {
  await expect(importFrom(archive, { secret: 'other' })).rejects.toThrow(/LECTERN_SECRET/)
  await importFrom(archive, { secret: 'other', isOtherSecret: true })
  const sources = await to.store.sources.all('p1')
  expect(sources.map(({ credentials }) => credentials)).toEqual([null, null])
})

const large = Buffer.alloc(2_500_001, 'What was uploaded is moved. ')
test('moves uploaded files with their sources', async () => {
  const other = await openSqliteStore(':memory:')
  await other.teams.insert({ uuid: 't1', name: 'Team', createdAt: '2026-01-01T00:00:00.000Z' })
  await other.projects.insert(project())
  for (const [blob, bytes] of [
    ['small', Buffer.from('x')],
    ['large', large],
    ['even', Buffer.alloc(2 * 1024 * 1024, 'x')],
  ] as const) {
    const { size } = await other.blobs.put(
      blob,
      (async function* () {
        yield bytes
      })(),
    )
    await other.sources.insert(
      source(blob, { type: 'file', url: '', identity: blob, options: { blob, size } }),
    )
  }
  await other.sources.insert(source('web'))

  const path = join(folder, 'files')
  await exportTo(path, { store: other })
  // Twice, as after a kill.
  for (const _ of [1, 2]) await importFrom(path)
  await expectArrived(path)
  expect(await to.store.blobs.read('small', 0, 10)).toEqual(Buffer.from('x'))
  expect(large.equals((await to.store.blobs.read('large', 0, 3_000_000)) as Uint8Array)).toBe(true)
  await other.close()
})
