// What a page says about itself in its head: title, language, version, canonical address, robots, boost, keywords.
import { isText } from 'domhandler'
import { normalizeUrl } from '../url.ts'
import { limitKeywords, limitVersion } from './limits.ts'
import { collapse } from './outline.ts'
import type { ExtractedPage } from './page.ts'
import type { PageDom } from './page-dom.ts'
import type { Profile } from './profiles.ts'
import { relations } from './relations.ts'

type Head = Omit<ExtractedPage, 'sections' | 'links' | 'title'>

/** Meta tags that name the documentation's version, the most telling first. */
const versionNames = ['docsearch:version', 'docusaurus_version', 'readthedocs-version-slug', 'version']
const languageTag = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/

/** Separators before a site's name in `title`, for pages of no known generator. */
const separators = [' | ', ' — ', ' – ', ' · ', ' :: ']
/** postgresql.org opens its titles with "PostgreSQL: Documentation: 15: ". */
const sitePrefix = /^[^:]{1,60}: Documentation: [^:]{1,20}: /

function readMetas(metas: PageDom['metas']): Map<string, string> {
  const found = new Map<string, string>()
  for (const { name, property, content } of metas) {
    const key = (name ?? property ?? '').trim().toLowerCase()
    if (key !== '' && content !== undefined && !found.has(key)) found.set(key, content.trim())
  }
  return found
}

/** One language tag (BCP 47) in lower case; null for anything else. */
export function readLanguageTag(text: string | null | undefined): string | null {
  const tag = (text ?? '').trim().toLowerCase().replaceAll('_', '-')
  return languageTag.test(tag) ? tag : null
}

/** What the page's own entry among its translations says. */
function readOwnAlternate({ alternates }: PageDom, base: string, url: string): string | null {
  const own = alternates.find(
    (link) =>
      relations(link).includes('alternate') && link.hreflang !== 'x-default' && leadsTo(link, base, url),
  )
  return readLanguageTag(own?.hreflang)
}

function leadsTo(link: Record<string, string>, base: string, url: string): boolean {
  return normalizeUrl(link.href ?? '', base) === normalizeUrl(url)
}

function ifNamed(hreflang: string | null): Pick<Head, 'hreflang'> {
  return hreflang === null ? {} : { hreflang }
}

function readBoost(content: string | undefined): number {
  const boost = content === undefined || content === '' ? 1 : Number(content)
  return boost >= 0.1 && boost <= 10 ? boost : 1
}

/** An absolute address, or null where `href` is none. */
export function resolve(href: string, base: string): URL | null {
  return URL.parse(href.trim(), base)
}

/** Address that relative ones on the page start from. */
export function toBase(dom: PageDom, url: string): string {
  return (dom.base !== null && resolve(dom.base, url)?.href) || url
}

/** Reads the head of the page at `url`; `base` as `toBase` gives it. */
export function readHead(dom: PageDom, base: string, url: string): Head {
  const metas = readMetas(dom.metas)
  const robots = new Set(
    ['robots', 'lectern'].flatMap((name) => (metas.get(name) ?? '').toLowerCase().split(/[\s,]+/)),
  )
  return {
    language: readLanguageTag(dom.html.lang ?? dom.html['xml:lang']),
    ...ifNamed(readOwnAlternate(dom, base, url)),
    version: limitVersion(versionNames.map((name) => metas.get(name)).find((version) => version) ?? null),
    canonical: (dom.canonical !== null && resolve(dom.canonical, base)?.href) || null,
    noindex: robots.has('noindex') || robots.has('none'),
    nofollow: robots.has('nofollow') || robots.has('none'),
    boost: readBoost(metas.get('lectern:boost')),
    keywords: limitKeywords(
      (metas.get('keywords') ?? '')
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
    ),
  }
}

/** The title of the `title` element without the site's name and the generator's number; empty where there is none. */
export function readTitle(dom: PageDom, profile: Profile): string {
  if (dom.title === null) return ''
  const raw = dom.title.children
    .map((node) => (isText(node) ? node.data : ''))
    .join('')
    .trimStart()
  const label = profile.number?.exec(raw)?.[0] ?? ''
  const plain = collapse(raw.slice(label.length)).replace(sitePrefix, '')
  const cuts = profile.titleSeparator === null ? separators : [profile.titleSeparator]
  const at = Math.max(...cuts.map((separator) => plain.lastIndexOf(separator)))
  return at > 0 ? plain.slice(0, at) : plain
}
