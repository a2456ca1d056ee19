// Several sources are added, or none of them.
import { randomUUID } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import { afterAll, describe, expect, it, test } from 'vitest'
import { SourceSchema } from '../../gen/lectern/v1/source_pb.js'
import { project } from '../../test/contract/store-case.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { addSources, newSource, webSources } from './add-sources.ts'
import { createCredentialKeeper, setCredentials } from './credentials.ts'

const docs = project('docs')
const urls = ['https://d.example/a', 'https://d.example/b', 'https://d.example/c']

const store = await openSqliteStore(':memory:')
await store.projects.insert(docs)
afterAll(() => store.close())

const deps = () => ({ store, now: () => new Date(0), newUuid: randomUUID })
const added = async () => (await store.sources.all(docs.uuid)).map(({ url }) => url).sort()

it('adds none if one of them is added concurrently', async () => {
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

it("adds none if the store fails halfway, and returns the store's error", async () => {
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

it('treats two spellings of a URL as one source, and a page and a sitemap as two', async () => {
  const sitemap = 'https://d.example/sitemap.xml'
  const request = { urls: ['https://D.example:443/a', urls[0]!, sitemap], sitemaps: [sitemap] }
  const sources = await addSources(deps(), docs, webSources(deps(), docs, request))
  expect(sources.map(({ type, url, name }) => [type, url, name])).toEqual([
    ['url', urls[0], urls[0]],
    ['url', sitemap, sitemap],
    ['sitemap', sitemap, sitemap],
  ])
})

it('adds none to a project deleted meanwhile, and reports it as not found', async () => {
  const deleted = project('deleted')
  await store.projects.insert(deleted)
  const sources = webSources(deps(), deleted, { urls, sitemaps: [] })
  await store.projects.delete(deleted.uuid)
  await expect(addSources(deps(), deleted, sources)).rejects.toMatchObject({ reason: 'not_found' })
})

describe('credentials', () => {
  const keeper = createCredentialKeeper(Buffer.alloc(32, 1))
  const project = { uuid: 'p', team: 't' } as Parameters<typeof newSource>[1]

  function setHeader(header: string) {
    const deps = { newUuid: () => 's', now: () => new Date(0), store: { sources: {} as never } }
    const source = newSource(deps, project, 'openapi', 'https://docs.example/openapi.json')
    const given = create(SourceSchema, { credentials: { header, value: 'secret' } })
    setCredentials(keeper, source, ['credentials'], given)
    return keeper.open('s', source.credentials ?? '')
  }

  test.each(['Authorization', 'X-Api-Key', 'Cookie', 'PRIVATE-TOKEN'])(
    'accepts %s as the header of a credential',
    (header) => {
      expect(setHeader(header)).toEqual({ header, value: 'secret' })
    },
  )

  test.each(
    `Host Cookie2 Connection Keep-Alive TE Trailer Transfer-Encoding Upgrade Content-Length Expect Origin Referer Via Date
     Proxy-Authorization Sec-Fetch-Site X-Forwarded-For X-Forwarded-Host X-Real-IP Forwarded`.split(/\s+/),
  )('rejects %s as the header of a credential', (header) => {
    expect(() => setHeader(header)).toThrow(/^credentials\.header: must not be a header that routes/)
  })

  function setHeaders(headers: Record<string, unknown>) {
    const deps = { newUuid: () => 's', now: () => new Date(0), store: { sources: {} as never } }
    const source = newSource(deps, project, 'site', 'https://docs.example/')
    setCredentials(
      keeper,
      source,
      ['credentials'],
      create(SourceSchema, { credentials: { headers } as never }),
    )
    return source.credentials && keeper.open('s', source.credentials)
  }

  test('accepts several headers for a site, and stores their names in lower case', () => {
    const headers = { Authorization: 'Basic eDp5', 'X-Api-Key': 'k' }
    expect(setHeaders(headers)).toEqual({ headers: { authorization: 'Basic eDp5', 'x-api-key': 'k' } })
    expect(setHeaders({})).toBeNull()
  })

  test.each([
    [{ Host: 'a' }, /^credentials\.headers\.Host: must not be a header that routes/],
    [{ 'X-Forwarded-For': 'a' }, /^credentials\.headers\.X-Forwarded-For: must not be a header that routes/],
    [{ 'a b': 'c' }, /^credentials\.headers\.a b: must be the name of a header/],
    [{ a: 'b\r\nc: d' }, /^credentials\.headers\.a: must be of printable ASCII/],
    [{ a: 1 }, /^credentials\.headers\.a: must be a string of 1 to 4000 characters/],
    [{ a: '' }, /^credentials\.headers\.a: must be a string/],
    [{ a: 'b', A: 'c' }, /^credentials\.headers\.A: must not be there twice/],
    [
      Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`h${at}`, 'v'])),
      /^credentials\.headers: must have at most 20/,
    ],
  ])('rejects %j', (headers, problem) => {
    expect(() => setHeaders(headers)).toThrow(problem)
  })
})
