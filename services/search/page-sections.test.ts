import { afterAll, expect, test } from 'vitest'
import { page, project, source, url } from '../../test/contract/store-case.ts'
import { createFolder } from '../../test/folder.ts'
import { openIndex, openStore } from '../drivers.ts'
import { toUnits } from '../index/units.ts'
import type { PageContent } from '../store/page.ts'
import { createPageSections } from './page-sections.ts'

const folder = createFolder()
const model = 'tiny'
const vector = Float32Array.of(1, 0)

const paragraph = (text: string) => [{ kind: 'paragraph' as const, text }]
const content: PageContent = {
  ...{ title: 'A page', language: 'en', docVersion: null, boost: 1, keywords: [] },
  sections: [
    { kind: 'heading', anchor: 'one', heading: 'One', path: [], blocks: paragraph('First.') },
    {
      ...{ kind: 'heading', anchor: 'long', heading: 'Long', path: [] },
      blocks: [...paragraph('word '.repeat(500)), ...paragraph('more '.repeat(500))],
    },
    { kind: 'heading', anchor: null, heading: '', path: [], blocks: paragraph('Last.') },
  ],
  links: [url('b')],
}

const store = await openStore({ data: folder })
const index = await openIndex({ data: folder })
await store.projects.insert(project())
await store.sources.insert(source('s1', { url: url('start') }))
const rows = ['a', 'b', 'elsewhere/c', 'start'].map((path) => page(path))
await store.pages.publish(
  'p1',
  null,
  rows.map((row) => ({ page: row, content })),
)
await index.add('p1', toUnits(rows[0]!, content))
afterAll(async () => {
  await index.close()
  await store.close()
})

const sections = (of: () => ReturnType<Parameters<typeof createPageSections>[0]['questionVectors']['of']>) =>
  createPageSections({ store, index, questionVectors: { of } })
const withVectors = () => sections(async () => ({ meaning: 'used', vector: { model, vector } }))

test('reports a section as embedded when all of its units are', async () => {
  const ids = toUnits(page('a'), content).map(({ id }) => id)
  expect(ids).toHaveLength(4)
  const expected = [
    { title: 'One', anchor: 'one', characters: 6 },
    { title: 'Long', anchor: 'long', characters: 5_000 },
    { title: 'a', anchor: null, characters: 5 },
  ]
  const embeddedAfter = async (given: string[]) => {
    await index.setVectors(
      'p1',
      model,
      given.map((unit) => ({ unit, vector })),
    )
    const [found] = await withVectors().pageSections('p1', ['page-a'])
    expect(found).toMatchObject(expected)
    return found!.map(({ embedded }) => embedded)
  }
  expect(await embeddedAfter([])).toEqual([false, false, false])
  expect(await embeddedAfter([ids[0]!, ids[1]!])).toEqual([true, false, false])
  expect(await embeddedAfter([ids[2]!])).toEqual([true, true, false])
})

test('reports nothing as embedded if embeddings are off, and no page of another project', async () => {
  const off = sections(async () => ({ meaning: 'off', vector: null }))
  const [found] = await off.pageSections('p1', ['page-a'])
  expect(found!.map(({ embedded }) => embedded)).toEqual([false, false, false])
  expect(await withVectors().pageSections('p9', ['page-a', 'none'])).toEqual([[], []])
})

test('looks for pages that link to an address in its folder and among the start pages', async () => {
  expect(await withVectors().linkedFrom('p1', url('b'))).toEqual([url('start'), url('a')])
  expect(await withVectors().linkedFrom('p1', url('elsewhere/b'))).toEqual([])
  expect(await withVectors().linkedFrom('p1', url('nowhere'))).toEqual([])
})
