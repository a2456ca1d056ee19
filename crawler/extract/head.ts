// Reads the head of a page: title, language, version, canonical address, robots, boost, keywords.
import { isText } from 'domhandler'
import { normalizeUrl } from '../url.ts'
import { collapse, seenLine } from './outline.ts'
import { cutText, type ExtractedPage, type Limits } from './page.ts'
import { type PageDom, relations } from './page-dom.ts'
import type { Profile } from './profiles.ts'

type Head = Omit<ExtractedPage, 'title' | 'siteName' | 'sections' | 'links' | 'cut'>

/** Meta tags with the documentation's version, most reliable first. */
const versionNames = ['docsearch:version', 'docusaurus_version', 'readthedocs-version-slug', 'version']
const languageTag = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/

/** Separators before a site's name in `title`, for pages of unknown generators. */
const separators = [' | ', ' — ', ' – ', ' · ', ' :: ']
/** Separators around a heading in a page's title, before it possibly with the heading's number. */
const parting = { before: /(?:^|[|—–·:»]\s|\s-\s)(?:\S*\d\S*\s)?$/u, after: /^(?:\s[|—–·«(-]|:|$)/u }

/** One language tag (BCP 47) in lower case. Null for other text. */
export function readLanguageTag(text: string | null | undefined): string | null {
  const tag = (text ?? '').trim().toLowerCase().replaceAll('_', '-')
  return languageTag.test(tag) ? tag : null
}

/** The language of the page's own entry among its translations. */
function readOwnAlternate({ alternates }: PageDom, base: string, url: string): string | null {
  const own = alternates.find(
    (link) =>
      relations(link).includes('alternate') &&
      link.hreflang !== 'x-default' &&
      normalizeUrl(link.href ?? '', base) === normalizeUrl(url),
  )
  return readLanguageTag(own?.hreflang)
}

function readBoost(content: string | undefined): number {
  const boost = content === undefined || content === '' ? 1 : Number(content)
  return boost >= 0.1 && boost <= 10 ? boost : 1
}

/** Resolves an address. Null if `href` is invalid. */
export const resolve = (href: string, base: string): URL | null => URL.parse(href.trim(), base)

/** The base of relative addresses on the page. */
export const toBase = (dom: PageDom, url: string): string =>
  (dom.base !== null && resolve(dom.base, url)?.href) || url

/** Reads the head of the page at `url`. `base`: from `toBase`. */
export function readHead(dom: PageDom, base: string, url: string, limits: Limits): Head {
  const { metas } = dom
  const hreflang = readOwnAlternate(dom, base, url)
  const robots = new Set(`${metas.get('robots')} ${metas.get('lectern')}`.toLowerCase().split(/[\s,]+/))
  const keywords = (metas.get('keywords') ?? '').split(',').map((word) => word.trim())
  return {
    language: readLanguageTag(dom.html.lang ?? dom.html['xml:lang']),
    ...(hreflang !== null && { hreflang }),
    version: limits.version(versionNames.map((name) => metas.get(name)).find((version) => version) ?? null),
    canonical: (dom.canonical !== null && resolve(dom.canonical, base)?.href) || null,
    noindex: robots.has('noindex') || robots.has('none'),
    nofollow: robots.has('nofollow') || robots.has('none'),
    boost: readBoost(metas.get('lectern:boost')),
    keywords: limits.keywords(keywords.filter((word) => word !== '')),
  }
}

/** The text of the `title` element, or ''. */
export function readWholeTitle({ title }: PageDom): string {
  const texts = title?.children.map((node) => (isText(node) ? node.data : '')) ?? []
  return texts.join('').trimStart()
}

/** Removes the site's name, the generator's number and Sphinx's `<no title>` from a title. */
export function cutTitle(whole: string, profile: Profile, metas: PageDom['metas']): string {
  const label = profile.number?.exec(whole)?.[0] ?? ''
  const plain = collapse(whole.slice(label.length)).replace(/^<no title>/u, '')
  const site = collapse(metas.get('og:site_name') ?? '')
  const page = site !== '' && plain.endsWith(` ${site}`) ? plain.slice(0, -site.length - 1) : ''
  if (/\S\s[-|–—·:]+$/u.test(page)) return page.replace(/\s\S+$/u, '')
  const cuts = profile.titleSeparator === undefined ? separators : [profile.titleSeparator]
  const at = Math.max(...cuts.map((separator) => plain.lastIndexOf(separator)))
  return at >= 0 ? plain.slice(0, at) : plain
}

/** Characters. */
const maxSiteName = 200

/**
 * The site's name in the metadata. Else the end of a title of Sphinx, which is the site's, unless `title` repeats one of its words:
 * `Table of Contents — Tideline 2.1 documentation` → `Tideline 2.1 documentation`. Empty if unknown.
 */
export function readSiteName(whole: string, title: string, { name }: Profile, metas: PageDom['metas']) {
  const site = seenLine(cutText(collapse(metas.get('og:site_name') ?? ''), maxSiteName))
  if (site !== '' || name !== 'sphinx') return site
  const end = collapse(whole.slice(-maxSiteName)).split(' — ').slice(1).at(-1) ?? ''
  const words = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? []
  const known = new Set(words(title))
  return words(end).some((word) => known.has(word)) ? '' : seenLine(end)
}

/** Whether a title consists of the heading and names of the site: "Tideline: Manual: 2: 8.1. Locks" is "Locks". */
export function isTitled(whole: string, heading: string): boolean {
  const title = collapse(whole)
  const at = title.lastIndexOf(heading)
  if (at < 0 || heading === '') return false
  return (
    parting.before.test(title.slice(0, at).slice(-100)) &&
    parting.after.test(title.slice(at + heading.length))
  )
}
