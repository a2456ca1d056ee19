// Converts a page's bytes to its stored text and its units. Runs on a parse thread.
import { createHash } from 'node:crypto'
import { extractorVersion } from '../../crawler/extract/extract.ts'
import { readLanguageTag } from '../../crawler/extract/head.ts'
import type { ExtractedPage, PagePart } from '../../crawler/extract/page.ts'
import { normalizeUrl } from '../../crawler/url.ts'
import { analyzerVersion } from '../../services/index/analyze.ts'
import { limitSections } from '../../services/index/page-limits.ts'
import type { Unit } from '../../services/index/search-index.ts'
import { type PageIdentity, readVariant, toUnits } from '../../services/index/units.ts'
import { hashAnchors } from '../../services/page/anchors.ts'
import type { PageContent } from '../../services/store/page.ts'
import { sourceTable } from '../../sources/source-table.ts'
import type { SourceParser, SourceTypeName } from '../../sources/source-type.ts'

/** Versions of extractor and analyzer. Pages from other versions are indexed again from their stored text. */
export const pipeline = `${extractorVersion}.${analyzerVersion}`

/** Whether text that was stored under another pipeline comes from the current extractor. */
export function hasSameExtractor(other: string): boolean {
  return other.startsWith(`${extractorVersion}.`)
}

export interface ParseRequest {
  page: PageIdentity
  body: Uint8Array
  contentType: string | null
  /** Replaces the page's own title. */
  title?: string | null
  /** Languages in its sitemap and in its header Content-Language. */
  languages?: { sitemap: string | null; header: string | null }
  /** Content hash of the published version. Units are only made if the page's hash differs. */
  knownHash: string | null
}

export interface ParsedPage {
  noindex: boolean
  /** Normalized. Null if there is none, or it is not an http(s) address. */
  canonical: string | null
  /** Empty if unknown. */
  siteName: string
  contentHash: string
  content: PageContent
  /** Parts that were cut or omitted. */
  cut: PagePart[]
  /** Null if the hash equals `knownHash`. */
  units: Unit[] | null
}

/** Never rejects because of the page's content. A page without text has no sections. */
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
    siteName: extracted.siteName ?? '',
    contentHash,
    content,
    cut: isCut ? [...extracted.cut, 'sections'] : extracted.cut,
    units: contentHash === knownHash ? null : toUnits(page, content),
  }
}

/** Loads the parser of a source type in this thread. */
export function loadParser(type: SourceTypeName): Promise<SourceParser> {
  return sourceTable[type].parser()
}

/** If neither the page nor its address has a language: hreflang of the page, then of the sitemap, then the header. */
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
  const byLink = [...links.values()].flatMap((names, at) => (names.length > 0 ? [[at, names.join(' ')]] : []))
  if (own.length > 0) byLink.push(['own', own.join(' ')])
  return {
    title: page.title,
    language: page.language,
    docVersion: page.version,
    boost: page.boost,
    keywords: page.keywords,
    sections: page.sections,
    links: [...links.keys()],
    ...(page.named && { fragments: Object.fromEntries(byLink), anchors: hashAnchors(ids) }),
  }
}

/** Excludes links: a page is unchanged if only its navigation has changed. */
function hashContent({ links: _, fragments: __, anchors: ___, ...content }: PageContent): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
