// A snapshot is the store at one moment, while others write.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project, publication } from '../../../test/contract/store-case.ts'
import { createFolder } from '../../../test/folder.ts'
import { openSnapshot, openStore } from '../../drivers.ts'

const folder = createFolder()

const text = (words: string) =>
  (async function* () {
    yield Buffer.from(words)
  })()

test('does not contain later writes, and is deleted when closed', async () => {
  const store = await openStore({ data: join(folder, 'data') })
  await store.projects.insert(project())
  await store.pages.publish('p1', null, [publication('a')])
  await store.blobs.put('file', text('uploaded'))
  const path = join(folder, 'archive.snapshot')
  const snapshot = await openSnapshot({ data: join(folder, 'data') }, path)
  await store.pages.publish('p1', null, [publication('a', { version: 11, title: 'later' }), publication('b')])
  expect((await snapshot.pages.scan('p1', null, 9)).map(({ url, version }) => [url, version])).toEqual([
    ['https://docs.test/a', 10],
  ])
  expect(await snapshot.pages.content('page-a')).toMatchObject({ title: 'a 10' })
  expect(Buffer.from((await snapshot.blobs.read('file', 0, 99))!).toString()).toBe('uploaded')
  await snapshot.close()
  expect(existsSync(path)).toBe(false)
  expect(Buffer.from((await store.blobs.read('file', 0, 99))!).toString()).toBe('uploaded')
  await store.close()
})

test('replaces the file of an interrupted export', async () => {
  const path = join(folder, 'again.snapshot')
  const first = await openSnapshot({ data: join(folder, 'data') }, path)
  const second = await openSnapshot({ data: join(folder, 'data') }, path)
  expect((await second.pages.scan('p1', null, 9)).length).toBe(2)
  await second.close()
  await first.close()
})
