// The source types for web pages: one page, a folder of a site by following links, or the pages in a sitemap. All respect
// robots.txt.
import { readSitemap } from '../../crawler/sitemap.ts'
import { normalizeUrl } from '../../crawler/url.ts'
import type { SourceReader, SourceSettings, SourceTools, SourceType } from '../source-type.ts'

/** One page. */
export const urlType: SourceType = {
  covers: (start) => (url) => url.href === start.href,
  credentials: { optional: ['headers'] },
  open: (source, tools) => createReader(source, tools, listStart),
  parser: loadWebParser,
}

/** Pages of a host below a folder, found by following links. */
export const siteType: SourceType = {
  covers(start) {
    const folder = toFolder(start.pathname)
    const itself = folder.slice(0, -1)
    return (url) => url.host === start.host && (url.pathname.startsWith(folder) || url.pathname === itself)
  },
  follows: true,
  credentials: { optional: ['headers'] },
  open: (source, tools) => createReader(source, tools, listStart),
  parser: loadWebParser,
}

/** Pages in a sitemap and its nested sitemaps, on any host. */
export const sitemapType: SourceType = {
  covers: () => () => true,
  credentials: { optional: ['headers'] },
  open: (source, tools) => createReader(source, tools, listSitemap),
  async parser() {
    const [webParser, { readSitemapFile }] = await Promise.all([
      loadWebParser(),
      import('../../crawler/sitemap-file.ts'),
    ])
    return {
      ...webParser,
      tasks: { entries: (body: Uint8Array, base: string) => readSitemapFile(body, base) },
    }
  },
}

async function loadWebParser() {
  return (await import('./web-parser.ts')).webParser
}

type List = (start: string, tools: SourceTools) => ReturnType<SourceReader['list']>

function createReader(source: SourceSettings, given: SourceTools, list: List): SourceReader {
  const tools = { ...given, fetcher: createSourceFetcher(source, given) }
  return { list: () => list(normalizeUrl(source.url) as string, tools), fetch: createWebFetch(tools) }
}

/** Lists only the source's address. The crawl follows links from there. */
async function* listStart(start: string) {
  yield { documents: [{ url: start }] }
}

async function* listSitemap(start: string, { fetcher, read, signal }: SourceTools) {
  const files = readSitemap(start, fetcher, (body, base) => read('entries', body, base), signal)
  for await (const { entries, warnings } of files) yield { documents: entries, warnings }
}

/** Requests at the source's rate. Its headers are only sent to its own host, and only over TLS if its address uses TLS. */
function createSourceFetcher(
  { url, options }: SourceSettings,
  { fetcher, credentials }: SourceTools,
): SourceTools['fetcher'] {
  const { host, protocol } = new URL(normalizeUrl(url) as string)
  const { maxConnections, delayMs } = options
  const isOwn = (to: URL) => to.host === host && (to.protocol === protocol || to.protocol === 'https:')
  return {
    ...fetcher,
    fetchPage: (address, given) =>
      fetcher.fetchPage(address, {
        ...given,
        pacing: { maxConnections, delayMs },
        ...(isOwn(new URL(address)) && { secretHeaders: credentials?.headers }),
      }),
  }
}

/** `/docs` and `/docs/` → `/docs/`; `/docs/a.html` → `/docs/`: a last segment with an extension is a page. */
function toFolder(path: string): string {
  if (path.endsWith('/')) return path
  const cut = path.lastIndexOf('/') + 1
  return /\.[a-z][a-z0-9]{1,5}$/i.test(path.slice(cut)) ? path.slice(0, cut) : `${path}/`
}

export function createWebFetch({
  fetcher,
  robots,
  signal,
}: Pick<SourceTools, 'fetcher' | 'robots' | 'signal'>): SourceReader['fetch'] {
  return async (url, known) => (await robots.refusal(url)) ?? fetcher.fetchPage(url, { ...known, signal })
}
