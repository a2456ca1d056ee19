// StartRecrawl: which hosts it accepts, and how many recrawls at once.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { at, project, recrawl, source } from '../../test/contract/store-case.ts'
import { toHandlerContext } from '../../test/handler-context.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { createRecrawlService } from './recrawl-service.ts'

let store: Store
let started: string[]
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
  started = []
  await store.projects.insert(project())
  await store.sources.insert(source('s1', { url: 'https://docs.example.org/guide/' }))
  await store.sources.insert(source('s2', { url: 'https://ports.example.org:8443/', type: 'sitemap' }))
  await store.sources.insert(source('s3', { url: 'https://git.example.org/docs', type: 'repository' }))
})
afterEach(() => store.close())

async function start(url: string): Promise<string> {
  const runs = {
    ping: async () => {},
    startRecrawl: async ({ uuid }: { uuid: string }) => void started.push(uuid),
  }
  const deps = { store, runs, now: () => new Date(at(5)), newUuid: () => crypto.randomUUID() }
  const row = project('p1', { indexedAt: at(1), allowedDomains: ['docs.example.net', '*.example.com'] })
  const context = toHandlerContext({ project: row })
  const { uuid } = await createRecrawlService(deps as never).startRecrawl({ url } as never, context)
  return uuid!
}

it.each([
  'https://docs.example.org/elsewhere.html',
  'https://DOCS.example.org:443/a',
  'http://docs.example.org/a',
  'https://ports.example.org:8443/a',
  'https://docs.example.net/a',
  'http://docs.example.net/a',
])('accepts %s, whose host belongs to the project', async (url) => {
  const uuid = await start(url)
  expect(started).toEqual([uuid])
})

it.each([
  ['a longer name', 'https://evil-docs.example.org/'],
  ['a subdomain', 'https://sub.docs.example.org/'],
  ['a parent domain', 'https://example.org/'],
  ['a name with a suffix', 'https://docs.example.org.evil.example/'],
  ['another port', 'https://docs.example.org:8443/'],
  ['the default port of a source with another', 'https://ports.example.org/'],
  ['an allowed domain on another port', 'https://docs.example.net:8080/'],
  ['a subdomain of an allowed domain', 'https://sub.docs.example.net/'],
  ['a domain with a wildcard', 'https://www.example.com/'],
  ['the host of a repository', 'https://git.example.org/docs'],
])('rejects %s: %s', async (_, url) => {
  await expect(start(url)).rejects.toMatchObject({ reason: 'host_not_allowed' })
  expect(started).toEqual([])
})

it('returns the waiting recrawl of the same address, and starts it once', async () => {
  const first = await start('https://docs.example.org/a#top')
  expect(await start('https://docs.example.org/a')).toBe(first)
  expect(await start('https://docs.example.org/b')).not.toBe(first)
  expect(started).toHaveLength(2)
})

it('rejects a recrawl beyond 1,000 unfinished ones, with a time to retry', async () => {
  for (let n = 0; n < 1_000; n++) {
    await store.recrawls.insert(recrawl(`c${n}`, { url: `https://docs.example.org/${n}` }))
  }
  expect(await start('https://docs.example.org/7')).toBe('c7')
  const refused = start('https://docs.example.org/new')
  await expect(refused).rejects.toMatchObject({ reason: 'rate_limited', retryAfter: 60 })
  await store.recrawls.settle('c7', { status: 'indexed', reason: null, finishedAt: at(6) })
  await start('https://docs.example.org/new')
  expect(started).toHaveLength(1)
})
