// From a page's bytes to its stored text and its units. Runs on a parse thread.
import { createHash } from 'node:crypto'
import { extractorVersion } from '../../crawler/extract/extract.ts'
import { readLanguageTag } from '../../crawler/extract/head.ts'
import type { ExtractedPage, PagePart } from '../../crawler/extract/page.ts'
import { normalizeUrl } from '../../crawler/url.ts'
import { analyzerVersion } from '../../services/index/analyze.ts'
import { limitSections } from '../../services/index/page-limits.ts'
import type { Unit } from '../../services/index/search-index.ts'
import { readVariant, toUnits } from '../../services/index/units.ts'
import { hashAnchors } from '../../services/page/anchors.ts'
import type { PageContent } from '../../services/store/page.ts'
import type { SourceType } from '../../services/store/source.ts'
import { sourceTable } from '../../sources/source-table.ts'
import type { SourceParser } from '../../sources/source-type.ts'

/** Versions of what makes units of a page; a page made by others is indexed again from its stored text. */
export const pipeline = `${extractorVersion}.${analyzerVersion}`

/** Whether text stored under another pipeline is what today's extractor would make of the page. */
export function hasSameExtractor(other: string): boolean {
  return other.startsWith(`${extractorVersion}.`)
}

export interface PageIdentity {
  uuid: string
  version: number
  url: string
  sourceType: SourceType
}

export interface ParseRequest {
  page: PageIdentity
  body: Uint8Array
  contentType: string | null
  /** In place of the title that it gives itself. */
  title?: string | null
  /** What its sitemap and its header Content-Language say, where they do. */
  languages?: { sitemap: string | null; header: string | null }
  /** Content hash of the published version: units are made only if the page has another. */
  knownHash: string | null
}

export interface ParsedPage {
  noindex: boolean
  /** Normalised; null where there is none or it is no http(s) address. */
  canonical: string | null
  contentHash: string
  content: PageContent
  /** Of what only the beginning, or nothing, was kept. */
  cut: PagePart[]
  /** Null where the hash is the known one. */
  units: Unit[] | null
}

/** Never throws on what a stranger wrote; a page without text has a content without sections. */
export async function parsePage(request: ParseRequest): Promise<ParsedPage> {
  const { page, body, contentType, title, languages, knownHash } = request
  const { parse } = await loadParser(page.sourceType)
  const extracted = await parse({ url: page.url, body, contentType })
  const { sections, isCut } = limitSections(extracted, { url: page.url, bytes: body.length })
  const content = toContent({
    ...extracted,
    ...(title && { title }),
    sections,
    language: readLanguage(extracted, page.url, languages),
  })
  const contentHash = hashContent(content)
  return {
    noindex: extracted.noindex,
    canonical: extracted.canonical === null ? null : normalizeUrl(extracted.canonical, page.url),
    contentHash,
    content,
    cut: isCut ? [...extracted.cut, 'sections'] : extracted.cut,
    units: contentHash === knownHash ? null : toUnits(toIndexed(page, content), content),
  }
}

/** What the type of a source reads in this thread. */
export function loadParser(type: SourceType): Promise<SourceParser> {
  return sourceTable[type].parser()
}

/** Units of text that was extracted before: what an upgrade of the analyzer needs. */
export function makeUnits({ page, content }: { page: PageIdentity; content: PageContent }): Unit[] {
  return toUnits(toIndexed(page, content), content)
}

function toIndexed(page: PageIdentity, content: PageContent) {
  return { ...page, docVersion: content.docVersion, language: content.language }
}

/** Where neither the page nor its address says it: hreflang of the page, then of the sitemap, then the header. */
function readLanguage(
  { language, hreflang }: ExtractedPage,
  url: string,
  languages: ParseRequest['languages'],
): string | null {
  if (language !== null || readVariant(url).language !== null) return language
  return hreflang ?? readLanguageTag(languages?.sitemap) ?? readLanguageTag(languages?.header)
}

function toContent(page: ExtractedPage): PageContent {
  const { ids, fragments } = page.named ?? { ids: [], fragments: new Map<string, string[]>() }
  const known = new Set(ids)
  const own = fragments.get('')?.filter((fragment) => !known.has(fragment)) ?? []
  const links = new Map<string, string[]>()
  for (const link of page.nofollow ? [] : page.links) {
    const url = normalizeUrl(link)
    if (url !== null) links.set(url, [...(links.get(url) ?? []), ...(fragments.get(link) ?? [])])
  }
  const named = [...links.values()].flatMap((names, at) => (names.length > 0 ? [[at, names.join(' ')]] : []))
  if (own.length > 0) named.push(['own', own.join(' ')])
  return {
    title: page.title,
    language: page.language,
    docVersion: page.version,
    boost: page.boost,
    keywords: page.keywords,
    nofollow: page.nofollow,
    sections: page.sections,
    links: [...links.keys()],
    ...(page.named && { fragments: Object.fromEntries(named), anchors: hashAnchors(ids) }),
  }
}

/** Links are no content: a page whose navigation alone has changed is unchanged. */
function hashContent({ links: _, fragments: __, anchors: ___, ...content }: PageContent): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
