// Reads the pages of a sitemap and its nested indexes (sitemaps.org protocol 0.9), file by file.
import { gunzipIfGzip } from './exchange.ts'
import type { Fetcher } from './fetch.ts'
import type { SitemapEntry, SitemapItem } from './sitemap-file.ts'

/** Parses a file under limits of time and memory. Rejects if it exceeds them, or if the signal aborts. */
type ReadSitemapFile = (body: Uint8Array, base: string, signal: AbortSignal) => Promise<SitemapItem[]>

type PageFetcher = Pick<Fetcher, 'fetchPage'>

interface SitemapBatch {
  entries: SitemapEntry[]
  /** With a sentence for the event log. */
  warnings: { url: string; message: string }[]
}

/** Maximum hosts of its files and pages: each costs a lookup and a robots.txt. */
const maxHosts = 100
const maxIndexDepth = 5
const maxFiles = 1_000
const batchSize = 1_000
/** The protocol's limit on a decompressed file. */
const maxBytes = 50 * 1024 * 1024

const tooMuch = 'The sitemap could not be read in the time and memory that a file may take.'
/** Files that may exceed the limits before the rest is skipped: each costs a parse thread. */
const maxUnread = 3
const givenUp = `${maxUnread} files of the sitemap took more time or memory than a file may; the rest was left out.`

const tooManyHosts = `The sitemap names more than ${maxHosts} hosts; the rest was left out.`
const tooDeep = `Sitemap indexes nest deeper than ${maxIndexDepth}; the rest was left out.`
const tooManyFiles = `There are more than ${maxFiles} sitemap files; the rest was left out.`

/**
 * Yields items in batches of at most 1,000, in the order of the files. Addresses are normalized. The caller must check
 * their hosts. Files that cannot be read become warnings, each once per file. Rejects only with the signal's reason.
 */
export async function* readSitemap(
  start: string,
  fetcher: PageFetcher,
  readFile: ReadSitemapFile,
  signal: AbortSignal,
): AsyncGenerator<SitemapBatch> {
  const waiting = [{ url: start, depth: 0 }]
  const seen = new Set([start])
  const hosts = new Set([new URL(start).host])
  const isTooManyHosts = (url: string) => {
    const { host } = new URL(url)
    if (hosts.size < maxHosts) hosts.add(host)
    return !hosts.has(host)
  }
  let unread = 0
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    const { url, depth } = file
    const body = await readBody(url, fetcher, signal)
    const read = typeof body === 'string' ? body : await readFile(body, url, signal).catch(() => tooMuch)
    signal.throwIfAborted()
    if (read === tooMuch) unread += 1
    const items: SitemapItem[] = typeof read === 'string' ? [{ kind: 'problem', message: read }] : read
    const messages = new Set<string>()
    const entries: SitemapEntry[] = []
    for (const item of items) {
      if (item.kind === 'problem') messages.add(item.message)
      else if (isTooManyHosts(item.kind === 'page' ? item.entry.url : item.url)) messages.add(tooManyHosts)
      else if (item.kind === 'page') entries.push(item.entry)
      else if (seen.has(item.url)) continue
      else if (depth >= maxIndexDepth) messages.add(tooDeep)
      else if (seen.size >= maxFiles) messages.add(tooManyFiles)
      else {
        seen.add(item.url)
        waiting.push({ url: item.url, depth: depth + 1 })
      }
    }
    if (unread === maxUnread) messages.add(givenUp)
    for (let at = 0; at === 0 || at < entries.length; at += batchSize) {
      signal.throwIfAborted()
      const warnings = at === 0 ? [...messages].map((message) => ({ url, message })) : []
      yield { entries: entries.slice(at, at + batchSize), warnings }
    }
    if (unread === maxUnread) return
  }
}

/** The decompressed file, or a sentence with the reason. Recognizes gzip by its first bytes, not by name or type. */
async function readBody(
  url: string,
  fetcher: PageFetcher,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  const answer = await fetcher.fetchPage(url, { as: 'file', maxBytes, signal })
  if (answer.kind === 'failed' || answer.kind === 'gone')
    return `The sitemap could not be read. ${answer.message}`
  if (answer.kind !== 'document') return 'The sitemap could not be read. The server answered without it.'
  try {
    return await gunzipIfGzip(answer.body, maxBytes)
  } catch {
    return 'The sitemap could not be unpacked: it is damaged, or too large.'
  }
}
