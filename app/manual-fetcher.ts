// Reads the project's own manual from its files: its pages are answered here, every other address by the fetcher.
import { createHash } from 'node:crypto'
import type { Fetcher, FetchResult } from '../crawler/fetch.ts'
import type { ManualFile } from './manual.ts'

/** `base`: address of the manual's start page, ending in a slash. */
export function createManualFetcher(
  fetcher: Fetcher,
  base: string,
  files: ReadonlyMap<string, ManualFile>,
): Fetcher {
  return {
    ...fetcher,
    forProject: (project) => createManualFetcher(fetcher.forProject(project), base, files),
    async fetchPage(url, options) {
      if (url === new URL('/robots.txt', base).href) return { kind: 'gone', status: 404 }
      if (!url.startsWith(base)) return fetcher.fetchPage(url, options)
      const file = files.get(url.slice(base.length).replace(/\/$/, ''))
      return file ? toPage(url, file, options?.etag ?? null) : { kind: 'gone', status: 404 }
    },
  }
}

function toPage(url: string, { contentType, body }: ManualFile, known: string | null): FetchResult {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  if (etag === known) return { kind: 'unchanged' }
  const headers = {
    contentType,
    etag,
    lastModified: null,
    xRobotsTag: null,
    contentLanguage: null,
    retryAfter: null,
  }
  return { kind: 'page', url, status: 200, headers, body: Buffer.from(body), redirectedFrom: [] }
}
