// The pages of a sitemap and of the indexes it nests (sitemaps.org protocol 0.9), fetched file by file.
import { gunzipIfGzip } from './content-coding.ts'
import type { Fetcher } from './fetch.ts'
import { readSitemapFile, type SitemapEntry } from './sitemap-file.ts'

export type { SitemapEntry } from './sitemap-file.ts'

export interface SitemapWarning {
  url: string
  /** A sentence for the event log. */
  message: string
}

export interface SitemapBatch {
  entries: SitemapEntry[]
  warnings: SitemapWarning[]
}

const deepestIndex = 5
const mostFiles = 1_000
const batchSize = 1_000
/** The protocol's limit on a file, unpacked. */
const mostBytes = 50 * 1024 * 1024

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
  signal: AbortSignal,
): AsyncGenerator<SitemapBatch> {
  const waiting: File[] = [{ url: start, depth: 0 }]
  const seen = new Set([start])
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    const warn = (message: string): SitemapBatch => ({
      entries: [],
      warnings: [{ url: (file as File).url, message }],
    })
    const body = await readBody(file.url, fetcher, signal)
    if (typeof body === 'string') {
      yield warn(body)
      continue
    }
    let entries: SitemapEntry[] = []
    for (const item of readSitemapFile(body, file.url)) {
      if (item.kind === 'page') entries.push(item.entry)
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
  if (file.depth >= deepestIndex)
    return `Sitemap indexes nest deeper than ${deepestIndex}; the rest was left out.`
  if (files >= mostFiles) return `There are more than ${mostFiles} sitemap files; the rest was left out.`
  return null
}

/** The file unpacked, or a sentence that says why there is none. gzip is told by its first bytes, not by name or type. */
async function readBody(
  url: string,
  fetcher: Pick<Fetcher, 'fetchPage'>,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  const answer = await fetcher.fetchPage(url, { accept: 'any', maxBytes: mostBytes, signal })
  if (answer.kind === 'failed') return `The sitemap could not be read. ${answer.message}`
  if (answer.kind === 'gone') return `The sitemap could not be read. The server answered ${answer.status}.`
  if (answer.kind !== 'page') return 'The sitemap could not be read. The server answered without it.'
  try {
    return await gunzipIfGzip(answer.body, mostBytes)
  } catch {
    return 'The sitemap could not be unpacked: it is damaged, or too large.'
  }
}
