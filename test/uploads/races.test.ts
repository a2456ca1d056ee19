// Uploads with concurrent writers of the same team.
import { randomUUID } from 'node:crypto'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { UploadSourcesRequestSchema } from '../../gen/lectern/v1/source_pb.js'
import { openStore } from '../../services/drivers.ts'
import { defaultConfig } from '../../services/project/project-change.ts'
import { createUploads } from '../../services/source/upload-sources.ts'
import type { Source } from '../../services/store/source.ts'
import type { Store } from '../../services/store/store.ts'
import { openParsePool } from '../../workflows/parse/parse-pool.ts'
import { createRead } from '../../workflows/source-crawl.ts'
import { project as projectRow } from '../contract/store-case.ts'
import { createFolder } from '../folder.ts'
import { toHandlerContext } from '../handler-context.ts'
import { makeZip } from '../make-zip.ts'

type Part = NonNullable<MessageInitShape<typeof UploadSourcesRequestSchema>['part']>

const megabyte = 1024 * 1024
const at = new Date(0).toISOString()
const team = randomUUID()
const project = projectRow(randomUUID(), { team, slug: 'docs', name: 'Docs', config: defaultConfig })
const pool = openParsePool(1)
afterAll(() => pool.close())

let folder: string
let store: Store
beforeEach(async () => {
  folder = createFolder()
  store = await openStore({ data: folder })
  await store.teams.insert({ uuid: project.team, name: 'Team', createdAt: at })
  await store.projects.insert(project)
})
afterEach(() => store.close())

/** `inserting` is awaited before each source is stored. */
function openUploads(inserting: (source: Source) => Promise<unknown> = async () => {}) {
  const insert: Store['sources']['insert'] = async (source) => {
    await inserting(source)
    await store.sources.insert(source)
  }
  const uploads = createUploads({
    store: { ...store, sources: { ...store.sources, insert } },
    now: () => new Date(0),
    newUuid: randomUUID,
    uploadLimit: 1,
    read: (type, context) => createRead(pool, type, context),
  })
  const context = toHandlerContext({ project })
  return async (parts: Part[], before = Promise.resolve()) => {
    async function* messages() {
      yield create(UploadSourcesRequestSchema, { slug: 'docs', part: { case: 'fields', value: {} } })
      await before
      for (const [index, part] of parts.entries())
        yield create(UploadSourcesRequestSchema, { part, finishWrite: index === parts.length - 1 })
    }
    return uploads.uploadSources(messages(), context)
  }
}

const file = (name: string, bytes: number): Part[] => [
  { case: 'file', value: { name } },
  { case: 'data', value: Buffer.alloc(bytes, 'words ') },
]
const site = (text: string): Part[] => [
  { case: 'fields', value: { baseUrl: 'https://guide.example/' } },
  { case: 'site', value: {} },
  { case: 'data', value: makeZip([{ name: 'index.html', body: `<h1>Guide</h1><p>${text}</p>` }]) },
]
const names = async () => (await store.sources.all(project.uuid)).map(({ name }) => name).sort()

test('rejects an upload if another one has filled the space in the meantime', async () => {
  const upload = openUploads()
  const { promise: before, resolve: go } = Promise.withResolvers<void>()
  const second = upload(file('second.txt', 0.4 * megabyte), before)
  await upload(file('first.txt', 0.4 * megabyte))
  await upload(file('other.txt', 0.4 * megabyte))
  go()
  await expect(second).rejects.toMatchObject({ reason: 'too_large' })
  expect(await names()).toEqual(['first.txt', 'other.txt'])
  expect(await store.sources.uploadedSize(project.team)).toBeLessThan(megabyte)
})

test('leaves no file of an upload that fails because its site was changed', async () => {
  const [{ uuid } = { uuid: '' }] = (await openUploads()(site('Old.'))).results!
  const upload = openUploads(async () => {
    const there = (await store.sources.get(project.uuid, uuid!))!
    expect(await store.sources.update({ ...there, maxPages: 7, revision: there.revision + 1 })).toBe(true)
  })
  await expect(upload([...site('New.'), ...file('a.txt', 100)])).rejects.toMatchObject({
    reason: 'changed_meanwhile',
  })
  const [left, ...others] = await store.sources.all(project.uuid)
  expect([left!.uuid, left!.maxPages, others]).toEqual([uuid, 7, []])
})
