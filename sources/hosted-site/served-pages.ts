// The addresses at which a server of static files would serve what is in an archive.
import { normalizeUrl } from '../../crawler/url.ts'
import type { ArchivedPage } from './archive.ts'

interface ServedPages {
  /** What is read whether a page links to it or not: nearer pages first. */
  listed: string[]
  at(url: string): ArchivedPage | undefined
  /** Where such an address leads that is none of a page itself: `/install` to `/install/` or `/install.html`. */
  behind(url: string): string | null
}

export function servePages(base: string, pages: ArchivedPage[]): ServedPages {
  const served = new Map<string, ArchivedPage>()
  const listed: string[] = []
  for (const page of pages.toSorted((a, b) => depthOf(a) - depthOf(b))) {
    const url = addressOf(base, page.path)
    if (url === null || served.has(url)) continue
    served.set(url, page)
    if (isListed(page)) listed.push(url)
  }
  return {
    listed,
    at: (url) => served.get(url),
    behind(url) {
      const plain = url.replace(/\?.*/, '')
      const spellings = [plain, plain.replace(index, '$1'), `${plain}/`, `${plain}.html`]
      return spellings.find((spelling) => spelling !== url && served.has(spelling)) ?? null
    },
  }
}

const index = /(^|\/)index\.x?html?$/i

/** What a link to it leads to: a server answers the address of a folder with the index in it. */
function addressOf(base: string, path: string): string | null {
  const link = path.normalize().replace(index, '$1').replace(/[%?#]/g, encodeURIComponent)
  return normalizeUrl(base + link)
}

/** The index of a folder comes before its pages. */
function depthOf({ path }: ArchivedPage): number {
  return path.split('/').length - (index.test(path) ? 0.5 : 0)
}

/** Text beside the pages, what a server says of missing pages, and folders of a generator's own are read where a page links to them. */
function isListed({ path, contentType }: ArchivedPage): boolean {
  return contentType === 'text/html' && !/(?:^|\/)(?:404\.html?$|[_.][^/]*\/)/i.test(path)
}
