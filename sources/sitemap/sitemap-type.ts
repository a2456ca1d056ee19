// Pages that a sitemap lists, nested ones too, of whichever host.

import { readSitemap } from '../../crawler/sitemap.ts'
import { normalizeUrl } from '../../crawler/url.ts'
import type { SourceType } from '../source-type.ts'
import { createWebFetch } from '../web/web-reader.ts'

export const sitemapType: SourceType = {
  covers: () => () => true,
  open({ url }, tools) {
    const start = normalizeUrl(url) as string
    return {
      async *list() {
        const { fetcher, read, signal } = tools
        const files = readSitemap(start, fetcher, (body, base) => read('entries', body, base), signal)
        for await (const { entries, warnings } of files) yield { documents: entries, warnings }
      },
      fetch: createWebFetch(tools),
    }
  },
  async parser() {
    const [{ webParser }, { readSitemapFile }] = await Promise.all([
      import('../web/web-parser.ts'),
      import('../../crawler/sitemap-file.ts'),
    ])
    return {
      ...webParser,
      tasks: { entries: (body: Uint8Array, base: string) => readSitemapFile(body, base) },
    }
  },
}
