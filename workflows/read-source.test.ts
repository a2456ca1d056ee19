// How reading a source starts: addresses of a sitemap that may become pages.
import { expect, test } from 'vitest'
import type { Listing } from '../services/store/frontier.ts'
import type { Source } from '../services/store/source.ts'
import type { SourceReader } from '../sources/source-type.ts'
import { seedSource } from './read-source.ts'
import { createSourceCrawl } from './source-crawl.ts'

test('drops addresses of a sitemap that cannot be pages', async () => {
  const at = (name: string) => `https://docs.example.org/${name}`
  const fields = { resolvedUrl: null, include: [], exclude: [], maxDepth: null, maxPages: null }
  const names = ['page', ...Array.from({ length: 100 }, (_, n) => `image-${n}.png`)]
  const reader = {
    async *list() {
      yield { documents: names.map((name) => ({ url: at(name), language: 'de' })) }
    },
  }
  const row = { ...fields, uuid: 's', type: 'sitemap', url: at('sitemap.xml') }
  const source = createSourceCrawl(row as never as Source, reader as never as SourceReader)
  const listed: string[] = []
  const context = {
    store: {
      frontier: {
        listed: async () => 0,
        discover: async (_run: string, listings: Listing[]) => listed.push(...listings.map(({ url }) => url)),
      },
    },
    run: { uuid: 'r', project: 'p' },
    addressLimit: 100_000,
    now: () => new Date(),
    onProgress() {},
    note: async () => {},
  }
  await seedSource(context as never, source)
  expect(listed).toEqual([at('page')])
  expect([...source.languages.keys()]).toEqual([at('page')])
})
