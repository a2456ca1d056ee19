// The pages of a sitemap and of the indexes it nests (sitemaps.org protocol 0.9), fetched file by file.
import { gunzipIfGzip } from './exchange.ts'
import type { Fetcher } from './fetch.ts'
import type { SitemapEntry, SitemapItem } from './sitemap-file.ts'

/** Reads a file's bytes under limits of time and memory; rejects where they do not suffice, and when the signal aborts. */
type ReadSitemapFile = (body: Uint8Array, base: string, signal: AbortSignal) => Promise<SitemapItem[]>

interface SitemapWarning {
  url: string
  /** A sentence for the event log. */
  message: string
}

interface SitemapBatch {
  entries: SitemapEntry[]
  warnings: SitemapWarning[]
}

/** Hosts of its files and pages: each costs a lookup and a robots.txt. */
const maxHosts = 100
const maxIndexDepth = 5
const maxFiles = 1_000
const batchSize = 1_000
/** The protocol's limit on a file, unpacked. */
const maxBytes = 50 * 1024 * 1024

const tooMuch = 'The sitemap could not be read in the time and memory that a file may take.'
/** Files that may take more, each of which costs a thread that reads for all: then the others are left alone. */
const maxUnread = 3
const givenUp = `${maxUnread} files of the sitemap took more time or memory than a file may; the rest was left out.`

interface File {
  url: string
  depth: number
}

/**
 * Yields what the files list in batches of at most 1,000, files in the order in which they are named. Addresses are
 * normalised; of which host they are is for the caller to judge. Whatever cannot be read becomes a warning. Rejects only
 * with the signal's reason.
 */
export async function* readSitemap(
  start: string,
  fetcher: Pick<Fetcher, 'fetchPage'>,
  readFile: ReadSitemapFile,
  signal: AbortSignal,
): AsyncGenerator<SitemapBatch> {
  const waiting: File[] = [{ url: start, depth: 0 }]
  const seen = new Set([start])
  const hosts = new Set<string>()
  const isTooManyHosts = (url: string) => {
    const { host } = new URL(url)
    if (hosts.size < maxHosts) hosts.add(host)
    return !hosts.has(host)
  }
  isTooManyHosts(start)
  let isCut = false
  let unread = 0
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    const warn = (message: string): SitemapBatch => ({
      entries: [],
      warnings: [{ url: (file as File).url, message }],
    })
    const body = await readBody(file.url, fetcher, signal)
    const items =
      typeof body === 'string' ? body : await readFile(body, file.url, signal).catch(() => tooMuch)
    signal.throwIfAborted()
    if (typeof items === 'string') {
      yield warn(items)
      if (items === tooMuch) unread += 1
      if (unread < maxUnread) continue
      yield warn(givenUp)
      return
    }
    let entries: SitemapEntry[] = []
    for (const item of items) {
      if (item.kind !== 'problem' && isTooManyHosts(item.kind === 'page' ? item.entry.url : item.url)) {
        if (!isCut) yield warn(`The sitemap names more than ${maxHosts} hosts; the rest was left out.`)
        isCut = true
      } else if (item.kind === 'page') entries.push(item.entry)
      else if (item.kind === 'problem') yield warn(item.message)
      else if (!seen.has(item.url)) {
        const refusal = refuse(file, seen.size)
        if (refusal) yield warn(refusal)
        else waiting.push({ url: item.url, depth: file.depth + 1 })
        if (!refusal) seen.add(item.url)
      }
      if (entries.length === batchSize) {
        yield { entries, warnings: [] }
        signal.throwIfAborted()
        entries = []
      }
    }
    if (entries.length > 0) yield { entries, warnings: [] }
  }
}

function refuse(file: File, files: number): string | null {
  if (file.depth >= maxIndexDepth)
    return `Sitemap indexes nest deeper than ${maxIndexDepth}; the rest was left out.`
  if (files >= maxFiles) return `There are more than ${maxFiles} sitemap files; the rest was left out.`
  return null
}

/** The file unpacked, or a sentence that says why there is none. gzip is told by its first bytes, not by name or type. */
async function readBody(
  url: string,
  fetcher: Pick<Fetcher, 'fetchPage'>,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  const answer = await fetcher.fetchPage(url, { as: 'file', maxBytes, signal })
  if (answer.kind === 'failed') return `The sitemap could not be read. ${answer.message}`
  if (answer.kind === 'gone') return `The sitemap could not be read. The server answered ${answer.status}.`
  if (answer.kind !== 'page') return 'The sitemap could not be read. The server answered without it.'
  try {
    return await gunzipIfGzip(answer.body, maxBytes)
  } catch {
    return 'The sitemap could not be unpacked: it is damaged, or too large.'
  }
}
