// How long the names on a page may be: each stands in every section below it, so that without a limit a small page would fill
// a disk.
import type { PagePart } from './page.ts'

/** Characters. */
const maxTitle = 300
const maxHeading = 200
const maxSignature = 500
const maxAnchor = 500
const maxVersion = 100
/** Names of one definition: what has more is several. */
export const maxNames = 50
/** Definitions that one text may be made into: the names of the others are kept without it. */
export const maxTwins = 10
/** Characters of all keywords together. */
const maxKeywords = { count: 50, length: 1_000 }
/** Links of a page that are followed. */
const maxLinks = 10_000
/** Bytes on disk that the links of a page may take, each in the rows of the run that finds it: 250, and its length 7.5 times. */
const linkRoom = { base: 500_000, perCharacter: 19 }
const linkCost = { base: 250, perCharacter: 7.5 }
/** Headings above a section, the innermost ones. */
const maxPath = 8

/** What one page's names and links are cut by, and what of it was cut. */
export interface Limits {
  readonly cut: Set<PagePart>
  title(title: string): string
  signature(signature: string): string
  /** A part of an anchor leads nowhere: none is better. */
  anchor(anchor: string | null): string | null
  version(version: string | null): string | null
  /** The first that have room. */
  keywords(keywords: string[]): string[]
  /** Whether there is room for one more link, as it is resolved. */
  hasRoom(link: string): boolean
}

/** `pageLength`: characters. */
export function createLimits(pageLength: number): Limits {
  const cut = new Set<PagePart>()
  let linksLeft = maxLinks
  let linkRoomLeft = linkRoom.base + linkRoom.perCharacter * pageLength

  function cutTo(max: number, part: PagePart, text: string): string {
    if (text.length > max) cut.add(part)
    return cutText(text, max)
  }
  function dropAbove(max: number, part: PagePart, text: string | null): string | null {
    if (text === null || text.length <= max) return text
    cut.add(part)
    return null
  }

  return {
    cut,
    title: (title) => cutTo(maxTitle, 'title', title),
    signature: (signature) => cutTo(maxSignature, 'name', signature),
    anchor: (anchor) => dropAbove(maxAnchor, 'anchor', anchor),
    version: (version) => dropAbove(maxVersion, 'version', version),
    keywords(keywords) {
      const kept: string[] = []
      let length = 0
      for (const keyword of keywords) {
        length += keyword.length
        if (kept.length === maxKeywords.count || length > maxKeywords.length) break
        kept.push(keyword)
      }
      if (kept.length < keywords.length) cut.add('keywords')
      return kept
    },
    hasRoom(link) {
      linksLeft -= 1
      linkRoomLeft -= linkCost.base + linkCost.perCharacter * link.length
      const fits = linksLeft >= 0 && linkRoomLeft >= 0
      if (!fits) cut.add('links')
      return fits
    },
  }
}

/** Whether a heading is so long that it is text: somebody wanted large letters, or forgot to end it. */
export function isText(heading: string): boolean {
  return heading.length > maxHeading
}

/** Names in as many groups as it takes. */
export function groupNames<Name>(names: Name[]): Name[][] {
  return Array.from({ length: Math.ceil(names.length / maxNames) }, (_, at) =>
    names.slice(at * maxNames, (at + 1) * maxNames),
  )
}

export function limitPath(path: string[]): string[] {
  return path.slice(-maxPath)
}

/** Never between the halves of one character. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const half = text.charCodeAt(max - 1)
  return text.slice(0, half >= 0xd800 && half <= 0xdbff ? max - 1 : max).trimEnd()
}
