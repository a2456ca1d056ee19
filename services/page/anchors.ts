// Finds links to missing anchors. The ids of a page are stored as hashes of four characters: with 1,000 ids, one in 16,000
// broken links goes unnoticed.
import { crc32 } from 'node:zlib'
import type { PageContent } from '../store/page.ts'

/** Maximum anchors of a page, and maximum links to check. */
const maxAnchors = 5_000
const maxLinks = 200_000

function hashAnchor(id: string): string {
  const hash = crc32(id)
  return Buffer.from([hash >>> 16, hash >>> 8, hash].map((byte) => byte & 0xff)).toString('base64')
}

export const hashAnchors = (ids: string[]): string => ids.slice(0, maxAnchors).map(hashAnchor).join('')

export interface BrokenAnchor {
  url: string
  title: string
  anchor: string
  linkedFrom: string[]
}

/** Collects links with anchors and the anchors of pages. `moved`: targets of redirects, canonical links and duplicates. */
export function createAnchorCheck(maxLinking: number) {
  const pages = new Map<string, { title: string; anchors: string }>()
  /** By address and anchor: pages that link to it. */
  const wanted = new Map<string, Map<string, string[]>>()
  let count = 0

  return {
    add(url: string, { title, links, anchors, fragments = {} }: PageContent) {
      if (anchors !== undefined) pages.set(url, { title, anchors })
      for (const [place, names] of Object.entries(fragments)) {
        const target = links[Number(place)] ?? url
        const linking = wanted.get(target) ?? new Map<string, string[]>()
        wanted.set(target, linking)
        for (const name of names.split(' ')) {
          if (!linking.has(name) && ++count > maxLinks) return
          const from = linking.get(name) ?? []
          if (from.length < maxLinking) linking.set(name, [...from, url])
        }
      }
    },
    find(moved: ReadonlyMap<string, string>): BrokenAnchor[] {
      return [...wanted].flatMap(([link, linking]) => {
        const url = pages.has(link) ? link : (moved.get(link) ?? link)
        const page = pages.get(url)
        const anchors = new Set(page?.anchors.match(/.{4}/g))
        const broken = page ? [...linking].filter(([anchor]) => !anchors.has(hashAnchor(anchor))) : []
        return broken.map(([anchor, linkedFrom]) => ({ url, title: page!.title, anchor, linkedFrom }))
      })
    },
  }
}
