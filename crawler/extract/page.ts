// The type of an extracted page, the limits of its parts, and a constructor for pages of text and tables.
import { decodeUrl } from '../url.ts'

/** One run of content in reading order. `text` is plain text; in `code` white space is verbatim. */
export interface Block {
  /** `list`: one item per line, which starts with `- `. `table`: one row per line, with cells joined by ` | `. */
  kind: 'paragraph' | 'code' | 'list' | 'table'
  text: string
  /** Offsets of inline code in `text`: begin, end, begin, … Absent if there is none. */
  code?: number[]
  /** Characters of `text` in links to other pages, and in lines that start with one. Absent if there are none. */
  linked?: number
}

/** The place of a section in a file: a page, from 1, or a sheet. */
export interface FilePlace {
  page?: number
  sheet?: string
}

export type SectionName = Pick<Section, 'heading' | 'anchor'>

/**
 * The unit of search: a heading with its content up to the next heading, or a definition with its own id
 * (a function, an option, a configuration parameter), which is cut out of the section around it.
 */
export interface Section {
  kind: 'heading' | 'definition'
  /** Id to append to the page's URL after `#`. Null if the page has none (top of the page, plain HTML). */
  anchor: string | null
  /** The heading's text, or the definition's signature. Empty for content before the first heading. */
  heading: string
  /** Further names with the same text, such as other signatures of a function, in order. Absent if there are none. */
  also?: SectionName[]
  /** Headings above this one, outermost first, without the page's title and without this heading. */
  path: string[]
  blocks: Block[]
  /** Absent for web pages. */
  place?: FilePlace
}

/** Parts of a page that are cut if they are too long or too many. `name`: the signature of a definition. */
export type PagePart = 'title' | 'name' | 'anchor' | 'version' | 'keywords' | 'links' | 'sections'

export interface ExtractedPage {
  /** Title of the page without the site's name. */
  title: string
  /** Name of the site that a web page belongs to. Absent or empty if unknown. */
  siteName?: string
  /** BCP 47, lower case, from `html lang`. Null if the page has none. */
  language: string | null
  /** BCP 47, lower case, from the page's own `link rel=alternate hreflang`. Absent if there is none. */
  hreflang?: string
  /** From meta tags (`docsearch:version`, `version`, `readthedocs…`). Null if the page has none. */
  version: string | null
  /** `link rel=canonical`, resolved against the page. Null if there is none. */
  canonical: string | null
  noindex: boolean
  nofollow: boolean
  /** `lectern:boost` meta tag, 0.1 to 10. 1 if absent or invalid. */
  boost: number
  keywords: string[]
  sections: Section[]
  /** Unique absolute http(s) addresses without fragment, in document order, without `rel=nofollow`. */
  links: string[]
  /** Only for served HTML. `ids`: targets of fragments. `fragments`: link → its anchors; '': the page itself. */
  named?: { ids: string[]; fragments: Map<string, string[]> }
  /** Parts that were cut or left out. */
  cut: PagePart[]
}

/** Characters. */
const maxTitle = 300
const maxHeading = 200
const maxSignature = 500
const maxAnchor = 500
const maxVersion = 100
/** Maximum names of one definition. More are split into several definitions. */
export const maxNames = 50
/** Maximum definitions that repeat one text. Further names are stored without the text. */
export const maxTwins = 10
/** Limits of all keywords: number and characters. */
const maxKeywords = { count: 50, length: 1_000 }
const maxLinks = 10_000
/** Maximum bytes on disk for the links of a page. In the rows of a run, each link takes 250 plus 7.5 times its length. */
const linkRoom = { base: 500_000, perCharacter: 19 }
const linkCost = { base: 250, perCharacter: 7.5 }
/** Maximum headings above a section. The innermost are kept. */
const maxPath = 8

export type Limits = ReturnType<typeof createLimits>

/** Applies the limits of one page, and records which parts were cut. `pageLength`: characters. */
export function createLimits(pageLength: number) {
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
    title: (title: string) => cutTo(maxTitle, 'title', title),
    signature: (signature: string) => cutTo(maxSignature, 'name', signature),
    /** Returns null for an anchor that is too long, because a part of an anchor is useless. */
    anchor: (anchor: string | null) => dropAbove(maxAnchor, 'anchor', anchor),
    version: (version: string | null) => dropAbove(maxVersion, 'version', version),
    /** The first keywords that fit. */
    keywords(keywords: string[]) {
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
    /** Whether there is room for one more resolved link. */
    hasRoom(link: string) {
      linksLeft -= 1
      linkRoomLeft -= linkCost.base + linkCost.perCharacter * link.length
      const fits = linksLeft >= 0 && linkRoomLeft >= 0
      if (!fits) cut.add('links')
      return fits
    },
  }
}

/** Whether a heading is so long that it is text, used for large letters or without an end tag. */
export const isText = (heading: string): boolean => heading.length > maxHeading

/** Splits names into groups of at most `maxNames`. */
export function groupNames<Name>(names: Name[]): Name[][] {
  return Array.from({ length: Math.ceil(names.length / maxNames) }, (_, at) =>
    names.slice(at * maxNames, (at + 1) * maxNames),
  )
}

export const limitPath = (path: string[]): string[] => path.slice(-maxPath)

/** Never splits a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const half = text.charCodeAt(max - 1)
  return text.slice(0, half >= 0xd800 && half <= 0xdbff ? max - 1 : max).trimEnd()
}

/** A page that only has sections: no language, links or directives. `keywords` must be within the limits. */
export function textPage(
  title: string,
  sections: Section[],
  limits: Limits,
  keywords: string[] = [],
): ExtractedPage {
  return {
    title: limits.title(title),
    language: null,
    version: null,
    canonical: null,
    noindex: false,
    nofollow: false,
    boost: 1,
    keywords: limits.keywords(keywords),
    sections,
    links: [],
    cut: [...limits.cut],
  }
}

/** The last segment of an address, for texts without a title. */
export function fileName(url: string): string {
  const path = (URL.parse(url)?.pathname ?? '').replace(/\/$/, '')
  return decodeUrl(path.slice(path.lastIndexOf('/') + 1))
}
