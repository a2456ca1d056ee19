// A static site that was uploaded as an archive: its pages as they are served at the source's address.
import {
  type Reading,
  type SourceReader,
  type SourceSettings,
  type SourceTools,
  type SourceType,
  UnreadableSource,
} from '../source-type.ts'
import { type ArchivedPage, maxPage, readTail } from './archive.ts'
import { servePages } from './served-pages.ts'

/** Bytes of a page's header in the archive beside its name. */
const maxHeader = 4 * 1024

export const hostedSiteType: SourceType = {
  follows: true,
  open: (source, tools) => createReader(source, tools),
  parser: async () => (await import('./hosted-site-parser.ts')).hostedSiteParser,
}

function createReader({ url: base, options }: SourceSettings, tools: SourceTools): SourceReader {
  let pages = servePages(base, [])

  async function readPage(page: ArchivedPage, etag: string): Promise<Reading> {
    const failed = (reason: 'too_large' | 'parse', message: string): Reading => ({
      ...{ kind: 'failed', reason, message },
      answered: false,
    })
    // Packing makes nothing much larger than it is.
    if (page.size > maxPage || page.packedSize > 2 * maxPage)
      return failed('too_large', 'It is larger than 10 MB.')
    const packed = await tools.bytes(page.start, maxHeader + page.packedSize)
    if (packed === null) throw gone()
    const body = await tools.read<Uint8Array | string>('unpack', packed, page)
    if (typeof body === 'string') return failed('parse', `The archive ${body}.`)
    return { kind: 'document', body, contentType: page.contentType, etag, lastModified: null }
  }

  return {
    async *list() {
      const found = await readTail<ArchivedPage[]>(tools, 'pages', options.size ?? 0)
      if (found === null) throw gone()
      if ('refused' in found) throw new UnreadableSource(`The archive ${found.refused}.`)
      pages = servePages(base, found.result)
      yield { documents: pages.listed.map((url) => ({ url })) }
    },

    covers: ({ href }) => (pages.at(href) ?? pages.behind(href)) != null,

    async fetch(url, known) {
      const page = pages.at(url)
      if (page === undefined) {
        const to = pages.behind(url)
        return to === null
          ? { kind: 'gone', message: 'The archive does not hold it.' }
          : { kind: 'redirect', to }
      }
      const etag = `${page.crc32.toString(16)}-${page.size}`
      return known.etag === etag ? { kind: 'unchanged' } : readPage(page, etag)
    },
  }
}

const gone = () => new UnreadableSource('Its archive is not there, or has just been replaced.')
