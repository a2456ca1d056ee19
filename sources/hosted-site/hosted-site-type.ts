// A static site that was uploaded as an archive, read as if a web server served it at the source's address. No process ever holds the
// whole archive: a parse thread reads the directory at its end, then each page by its offset.
import { failed } from '../../crawler/fetch-result.ts'
import { normalizeUrl } from '../../crawler/url.ts'
import { toProblem } from '../file/formats.ts'
import {
  type Reading,
  type SourceReader,
  type SourceSettings,
  type SourceTools,
  type SourceType,
  UnreadableSource,
} from '../source-type.ts'
import type { ArchivedPage } from './hosted-site-parser.ts'

/** Maximum bytes of an archive. */
export const maxArchive = 250 * 1024 * 1024
/** Maximum bytes of a page. */
const maxPage = 10 * 1024 * 1024
/** Maximum bytes of the directory at the end of an archive. */
const maxDirectory = 16 * 1024 * 1024

/** Maximum bytes of a page's local header, without its name. */
const maxHeader = 4 * 1024

export const hostedSiteType: SourceType = {
  follows: true,
  open: createReader,
  parser: async () => (await import('./hosted-site-parser.ts')).hostedSiteParser,
}

function createReader({ url: base, options }: SourceSettings, tools: SourceTools): SourceReader {
  let pages = servePages(base, [])

  async function readPage(page: ArchivedPage, etag: string): Promise<Reading> {
    // Compression never enlarges a file much.
    if (page.size > maxPage || page.packedSize > 2 * maxPage)
      return failed('too_large', 'It is larger than 10 MB.', false)
    const packed = await tools.bytes(page.start, maxHeader + page.packedSize)
    if (packed === null) throw gone()
    const { contentType } = page
    return tools.read<Uint8Array>('unpack', packed, page).then(
      (body) => ({ kind: 'document', body, contentType, etag, lastModified: null }),
      (error) => failed('parse', `The archive ${toProblem(error)}.`, false),
    )
  }

  return {
    async *list() {
      const found = await readArchive(tools, options.size ?? 0).catch((error) => {
        throw new UnreadableSource(`The archive ${toProblem(error)}.`)
      })
      if (found === null) throw gone()
      pages = servePages(base, found)
      yield { documents: pages.listed.map((url) => ({ url })) }
    },

    covers: ({ href }) => (pages.at(href) ?? pages.redirect(href)) != null,

    async fetch(url, known) {
      const page = pages.at(url)
      if (page === undefined) {
        const to = pages.redirect(url)
        return to === null
          ? { kind: 'gone', message: 'The archive does not contain it.' }
          : { kind: 'redirect', to }
      }
      const etag = `${page.crc32.toString(16)}-${page.size}`
      return known.etag === etag ? { kind: 'unchanged' } : readPage(page, etag)
    },
  }
}

const gone = () => new UnreadableSource('Its archive is not there, or has just been replaced.')

/** Reads the directory at the end of the archive. Returns null if the archive is gone. Rejections: see toProblem. */
export async function readArchive(
  { bytes, read }: Pick<SourceTools, 'bytes' | 'read'>,
  size: number,
): Promise<ArchivedPage[] | null> {
  const from = Math.max(0, size - maxDirectory)
  const tail = await bytes(from, size - from)
  return tail === null ? null : read('pages', tail, size)
}

function servePages(base: string, pages: ArchivedPage[]) {
  const served = new Map<string, ArchivedPage>()
  /** Pages that are read even without a link to them, those in higher folders first. */
  const listed: string[] = []
  for (const page of pages.toSorted((a, b) => toDepth(a) - toDepth(b))) {
    const url = toAddress(base, page.name)
    if (url === null || served.has(url)) continue
    served.set(url, page)
    if (isListed(page)) listed.push(url)
  }
  return {
    listed,
    at: (url: string) => served.get(url),
    /** The page that an unknown address redirects to: `/install` to `/install/` or `/install.html`. */
    redirect(url: string): string | null {
      const plain = url.replace(/\?.*/, '')
      const spellings = [plain, plain.replace(index, '$1'), `${plain}/`, `${plain}.html`]
      return spellings.find((spelling) => spelling !== url && served.has(spelling)) ?? null
    },
  }
}

const index = /(^|\/)index\.x?html?$/i

/** The address of a page: an index is served at the address of its folder. */
function toAddress(base: string, name: string): string | null {
  const link = name.normalize().replace(index, '$1').replace(/[%?#]/g, encodeURIComponent)
  return normalizeUrl(base + link)
}

/** Orders the index of a folder before its pages. */
function toDepth({ name }: ArchivedPage): number {
  return name.split('/').length - (index.test(name) ? 0.5 : 0)
}

/** Other text, error pages and folders of generators are only read if a page links to them. */
function isListed({ name, contentType }: ArchivedPage): boolean {
  return contentType === 'text/html' && !/(?:^|\/)(?:404\.html?$|[_.][^/]*\/)/i.test(name)
}
