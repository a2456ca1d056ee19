// A static site that was uploaded as an archive: its pages as they are served at the source's address.
import { normalizeUrl } from '../../crawler/url.ts'
import {
  type Reading,
  type SourceReader,
  type SourceSettings,
  type SourceTools,
  type SourceType,
  UnreadableSource,
} from '../source-type.ts'
import { type ArchivedPage, maxPage, readTail } from './archive.ts'

const atOnce = 1_000
/** Bytes of a page's header in the archive beside its name. */
const maxHeader = 4 * 1024

export const hostedSiteType: SourceType = {
  open: (source, tools) => createReader(source, tools),
  parser: async () => (await import('./hosted-site-parser.ts')).hostedSiteParser,
}

function createReader({ url: base, options }: SourceSettings, tools: SourceTools): SourceReader {
  const pages = new Map<string, ArchivedPage>()

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
    return { kind: 'document', body, contentType: 'text/html', etag, lastModified: null }
  }

  return {
    async *list() {
      const found = await readTail<ArchivedPage[]>(tools, 'pages', options.size ?? 0)
      if (found === null) throw gone()
      if ('refused' in found) throw new UnreadableSource(`The archive ${found.refused}.`)
      for (const page of found.result) {
        const url = addressOf(base, page.path)
        if (url !== null && !pages.has(url)) pages.set(url, page)
      }
      const documents = [...pages.keys()].map((url) => ({ url }))
      for (let at = 0; at < documents.length; at += atOnce)
        yield { documents: documents.slice(at, at + atOnce) }
    },

    async fetch(url, known) {
      const page = pages.get(url)
      if (page === undefined) return { kind: 'gone', message: 'The archive does not hold it.' }
      const etag = `${page.crc32.toString(16)}-${page.size}`
      return known.etag === etag ? { kind: 'unchanged' } : readPage(page, etag)
    },
  }
}

const gone = () => new UnreadableSource('Its archive is not there, or has just been replaced.')

/** A server answers the address of a folder with the index in it. */
function addressOf(base: string, path: string): string | null {
  const served = path.replace(/(^|\/)index\.html?$/i, '$1')
  return normalizeUrl(base + served.split('/').map(encodeURIComponent).join('/'))
}
