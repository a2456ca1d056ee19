import { chmod, copyFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { toQuery } from '../../test/contract/search-index.suite.ts'
import { at, project } from '../../test/contract/store-case.ts'
import { fillStore, termsOf } from '../../test/sync/filled-store.ts'
import { openSegmentIndex } from '../index/segments/segment-index.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import { createSummer, type RowLine, toLine } from './archive-line.ts'
import { type ExportOptions, exportStore } from './export-store.ts'
import { type ImportOptions, importStore } from './import-store.ts'
import type { Kind } from './kinds.ts'
import type { Target } from './write-rows.ts'

let folder: string
let from: Target
let to: Target
let opened = 0
let archive: string

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

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-transfer-'))
  from = await openTarget()
  await fillStore(from)
  archive = join(folder, 'whole')
  await exportTo(archive)
})
beforeEach(async () => {
  to = await openTarget()
})
afterAll(() => rm(folder, { recursive: true }))

test('everything arrives, and is exported again as the same archive', async () => {
  const { sums, differing } = await importFrom(archive)
  expect(differing.size).toBe(0)
  expect(Object.fromEntries(Object.entries(sums).map(([kind, { count }]) => [kind, count]))).toEqual({
    team: 2,
    key: 120,
    member: 3,
    invitation: 3,
    project: 3,
    source: 2,
    page: 45,
    run: 13,
    recrawl: 2,
    chat: 104,
    event: 230,
    vector: 101,
  })
  expect(await exportTo(join(folder, 'again'), { store: to.store })).toEqual(sums)
})

test('only its owner can read an archive, whatever lay where it is written', async () => {
  const path = join(folder, 'private')
  await writeFile(`${path}.part`, 'of somebody else')
  await chmod(`${path}.part`, 0o666)
  await exportTo(path)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('what is found is found in the same order with the same scores', async () => {
  await importFrom(archive)
  const query = toQuery(termsOf('harbors lights 港'))
  const hits = await to.index.findByTerms('p1', query)
  expect(hits.length).toBe(45)
  expect(hits).toEqual(await from.index.findByTerms('p1', query))
  expect(await to.store.vocabulary.read('p1')).toEqual(await from.store.vocabulary.read('p1'))
})

test('a run that was under way has ended as cancelled, and a new one can begin', async () => {
  await importFrom(archive)
  const run = await to.store.runs.get('p1', 'live')
  expect(run).toMatchObject({ status: 'cancelled', finishedAt: at(60) })
  expect(await to.store.runs.live()).toEqual([])
})

test('an import that is repeated changes nothing', async () => {
  const { sums } = await importFrom(archive)
  expect(await importFrom(archive)).toEqual({ sums, differing: new Map() })
})

test('an import that was cut off is finished by the next', async () => {
  const broken = {
    ...to.store,
    chats: { ...to.store.chats, append: () => Promise.reject(new Error('gone')) },
  }
  await expect(importFrom(archive, { store: broken })).rejects.toThrow('gone')
  expect((await importFrom(archive)).differing.size).toBe(0)
})

test('a target that was in use says what differs', async () => {
  await to.store.projects.insert(project('p1', { name: 'Renamed' }))
  expect((await importFrom(archive)).differing).toEqual(new Map([['project', 1]]))
})

test('another project of the same slug is not written over', async () => {
  await to.store.projects.insert(project('p9', { slug: 'slug-p1' }))
  await expect(importFrom(archive)).rejects.toThrow(/project .* same slug/)
})

test('an export that was cut off starts over', async () => {
  const path = join(folder, 'cut')
  await exportTo(path)
  const before = await readFile(path)
  await copyFile(path, `${path}.part`)
  await truncate(`${path}.part`, Math.floor(before.length / 2))
  await from.store.projects.insert(project('late', { team: 't1', slug: 'late' }))
  try {
    const { project: projects } = await exportTo(path)
    expect(projects?.count).toBe(4)
    expect((await importFrom(path)).differing.size).toBe(0)
    expect(await to.store.projects.byUuid('late')).not.toBeNull()
  } finally {
    await from.store.projects.delete('late')
  }
})

test.each([
  ['is cut', (bytes: Buffer) => bytes.subarray(0, -200), 'not whole'],
  [
    'lacks a row',
    (bytes: Buffer) => Buffer.from(bytes.toString().replace(/\n\{"kind":"key".*/, '')),
    'not whole',
  ],
  [
    'has a changed row',
    (bytes: Buffer) => Buffer.from(bytes.toString().replace('Team t1', 'Team t9')),
    'not whole',
  ],
  ['is damaged', (bytes: Buffer) => Buffer.from(bytes.toString().replace('\n{"kind"', '\n{kind')), 'damaged'],
  ['is none', () => Buffer.from('{"some": "json"}\n'), 'no archive'],
  ['is empty', () => Buffer.alloc(0), 'no archive'],
])('an archive that %s is refused before anything is written', async (_name, change, says) => {
  const path = join(folder, 'bad')
  await writeFile(path, change(await readFile(archive)))
  await expect(importFrom(path)).rejects.toMatchObject({
    reason: 'invalid',
    message: expect.stringContaining(says),
  })
  expect(await to.store.teams.all()).toEqual([])
})

test('rows of an archive of an earlier version get the fields that they lack', async () => {
  const missing: Partial<Record<Kind, string[]>> = {
    invitation: ['creator'],
    source: ['state'],
    run: ['sourcesFailed'],
    recrawl: ['detail', 'message'],
  }
  const summer = createSummer()
  const lines = (await readFile(archive, 'utf8')).trimEnd().split('\n')
  const earlier = lines.map((text) => {
    const line = JSON.parse(text)
    if ('end' in line) return toLine({ end: summer.sums() })
    if (!('kind' in line)) return text
    const { kind, row } = line as RowLine
    const fields = (kind === 'run' ? row.run : row) as unknown as Record<string, unknown>
    for (const name of missing[kind] ?? []) delete fields[name]
    summer.add(kind, toLine(line))
    return toLine(line)
  })
  const path = join(folder, 'earlier')
  await writeFile(path, `${earlier.join('\n')}\n`)
  expect((await importFrom(path)).differing).toEqual(new Map())
})

test('another LECTERN_SECRET is refused, or leaves the credentials out', async () => {
  await expect(importFrom(archive, { secret: 'other' })).rejects.toThrow(/LECTERN_SECRET/)
  const { differing } = await importFrom(archive, { secret: 'other', isOtherSecret: true })
  expect(differing.size).toBe(0)
  const sources = await to.store.sources.all('p1')
  expect(sources.map(({ credentials }) => credentials)).toEqual([null, null])
})
