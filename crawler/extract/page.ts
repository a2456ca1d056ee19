// What extraction makes of one fetched page. Plain data: it crosses a worker boundary and is stored as JSON.

/** One run of content in reading order. `text` is plain text; in `code` white space is verbatim. */
export interface Block {
  /** `list`: one item a line, each opening with `- `; `table`: one row a line, cells joined by ` | `. */
  kind: 'paragraph' | 'code' | 'list' | 'table'
  text: string
  /** Characters of `text` in links to other pages, and in lines that open with one; left out where there are none. */
  linked?: number
}

/** Where in a file a section stands: on a page, from 1, or in a sheet. */
export interface FilePlace {
  page?: number
  sheet?: string
}

/** What a section is called, and where. */
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

/** What of a page may be too long, or too much, to be kept whole. `name`: a definition's signature. */
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
  /** `keywords` meta tag, trimmed, empty ones dropped. */
  keywords: string[]
  sections: Section[]
  /** Absolute http(s) addresses without fragment, in document order, each once, `rel=nofollow` left out. */
  links: string[]
  /** What was cut, or left out, for its length. */
  cut: PagePart[]
}
