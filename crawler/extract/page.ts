// A page as extraction returns it, the limits of its parts, and the page of a plain text or a table.

/** One run of content in reading order. `text` is plain text; in `code` white space is verbatim. */
export interface Block {
  /** `list`: one item a line, each opening with `- `; `table`: one row a line, cells joined by ` | `. */
  kind: 'paragraph' | 'code' | 'list' | 'table'
  text: string
  /** Where code within a line begins and ends in `text`: begin, end, begin, …; left out where there is none. */
  code?: number[]
  /** Characters of `text` in links to other pages, and in lines that open with one; left out where there are none. */
  linked?: number
}

/** Where in a file a section stands: on a page, from 1, or in a sheet. */
export interface FilePlace {
  page?: number
  sheet?: string
}

export type SectionName = Pick<Section, 'heading' | 'anchor'>

/**
 * The unit of search: a heading with what stands below it up to the next heading, or a definition that has an id
 * of its own (a function, an option, a configuration parameter), which is cut out of the section around it.
 */
export interface Section {
  kind: 'heading' | 'definition'
  /** Id to append to the page's URL after `#`; null where the page gives none (the top of the page, plain HTML). */
  anchor: string | null
  /** The heading's text, or the definition's signature; empty for content before the first heading. */
  heading: string
  /** Further names that the same text defines, as signatures of one function: in their order, left out where there is none. */
  also?: SectionName[]
  /** Headings above this one, outermost first, without the page's title and without this heading. */
  path: string[]
  blocks: Block[]
  /** Left out for pages of the web. */
  place?: FilePlace
}

/** Parts of a page that are cut when they are too long or too many. `name`: the signature of a definition. */
export type PagePart = 'title' | 'name' | 'anchor' | 'version' | 'keywords' | 'links' | 'sections'

export interface ExtractedPage {
  /** Title of the page without the site's name. */
  title: string
  /** BCP 47, lower case, from `html lang`; null where the page does not say. */
  language: string | null
  /** BCP 47, lower case, from the page's own `link rel=alternate hreflang`; left out where there is none. */
  hreflang?: string
  /** From meta tags (`docsearch:version`, `version`, `readthedocs…`); null where the page does not say. */
  version: string | null
  /** `link rel=canonical`, resolved against the page, whatever it names; null where there is none. */
  canonical: string | null
  noindex: boolean
  nofollow: boolean
  /** `lectern:boost` meta tag, 0.1 to 10; 1 where absent or bad. */
  boost: number
  keywords: string[]
  sections: Section[]
  /** Absolute http(s) addresses without fragment, in document order, each once, `rel=nofollow` left out. */
  links: string[]
  /** Of HTML as it was served alone. `ids`: what fragments may lead to. `fragments`: by link, those that name an anchor; '': of the page itself. */
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
/** Maximum names of one definition; more are split into several definitions. */
export const maxNames = 50
/** Definitions that one text may be made into: the names of the others are kept without it. */
export const maxTwins = 10
/** Characters of all keywords together. */
const maxKeywords = { count: 50, length: 1_000 }
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

/** Nothing but its sections is known of it: no language, links or directives. `keywords` within the limits. */
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

/** The last name in an address, for texts without a title of their own. */
export function fileName(url: string): string {
  const path = (URL.parse(url)?.pathname ?? '').replace(/\/$/, '')
  const name = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
