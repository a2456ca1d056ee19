// Several sources are added, or none of them.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { project } from '../../test/contract/store-case.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { addSources, newSource, webSources } from './add-sources.ts'

const docs = project('docs')
const urls = ['https://d.example/a', 'https://d.example/b', 'https://d.example/c']

let store: Store
beforeAll(async () => {
  store = await openSqliteStore(':memory:')
  await store.projects.insert(docs)
})
afterAll(() => store.close())

const deps = () => ({ store, now: () => new Date(0), newUuid: randomUUID })
const added = async () => (await store.sources.all(docs.uuid)).map(({ url }) => url).sort()

it('adds none where somebody else adds one of them at the same time', async () => {
  const other = newSource(deps(), docs, 'url', urls[1]!)
  const insert: Store['sources']['insert'] = async (source) => {
    if (source.url === urls[1]) await store.sources.insert(other)
    return store.sources.insert(source)
  }
  const racing = { ...deps(), store: { sources: { ...store.sources, insert } } }
  await expect(
    addSources(racing, docs, webSources(deps(), docs, { urls, sitemaps: [] })),
  ).rejects.toMatchObject({
    reason: 'source_exists',
    fields: { 'urls[1]': ['is a source already'] },
  })
  expect(await added()).toEqual([urls[1]])
  await store.sources.delete(docs.uuid, other.uuid)
})

it('adds none where the store fails amid them, and says what the store said', async () => {
  const insert: Store['sources']['insert'] = async (source) => {
    if (source.url === urls[2]) throw new Error('disk')
    return store.sources.insert(source)
  }
  const failing = { ...deps(), store: { sources: { ...store.sources, insert } } }
  await expect(addSources(failing, docs, webSources(deps(), docs, { urls, sitemaps: [] }))).rejects.toThrow(
    'disk',
  )
  expect(await added()).toEqual([])
})

it('takes two spellings of an address for one, and a page and a sitemap for two', async () => {
  const sitemap = 'https://d.example/sitemap.xml'
  const request = { urls: ['https://D.example:443/a', urls[0]!, sitemap], sitemaps: [sitemap] }
  const sources = await addSources(deps(), docs, webSources(deps(), docs, request))
  expect(sources.map(({ type, url, name }) => [type, url, name])).toEqual([
    ['url', urls[0], urls[0]],
    ['url', sitemap, sitemap],
    ['sitemap', sitemap, sitemap],
  ])
})

it('adds none to a project that is deleted meanwhile, and says so', async () => {
  const gone = project('gone')
  await store.projects.insert(gone)
  const sources = webSources(deps(), gone, { urls, sitemaps: [] })
  await store.projects.delete(gone.uuid)
  await expect(addSources(deps(), gone, sources)).rejects.toMatchObject({ reason: 'not_found' })
})
