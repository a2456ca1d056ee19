// HTML → page: head, main content, outline and links. tidy-html.ts reads well-formed pages, parse5 all others (page-dom.ts).
import { type ChildNode, Element, isTag, isText } from 'domhandler'
import { decodeUrl } from '../url.ts'
import { cutTitle, isTitled, readHead, readSiteName, readWholeTitle, resolve, toBase } from './head.ts'
import { collapse, createOutline, seenLine } from './outline.ts'
import { createLimits, type ExtractedPage, fileName, type Limits, type Section } from './page.ts'
import { type PageDom, relations, toPageDom } from './page-dom.ts'
import { type Profile, toPageProfile } from './profiles.ts'
import { withoutEnd } from './visible.ts'
import { walk } from './walk.ts'

/** Must change if extraction returns other sections for the same page. Stored pages are then extracted again. */
export const extractorVersion = 'x20'

/**
 * Extracts a page. `url`: the absolute address that it was fetched from. Accepts any text and never throws. A page
 * without content has no sections. Time and memory are linear in the page's length.
 */
export function extract(html: string, url: string): ExtractedPage {
  const whole = html.toWellFormed().replaceAll('\0', '')
  const dom = toPageDom(whole)
  const profile = toPageProfile(dom.generator, (key) => dom.candidates.has(key))
  const base = toBase(dom, url)
  const wholeTitle = readWholeTitle(dom)
  const headTitle = cutTitle(wholeTitle, profile, dom.metas)

  let title: string | null = null
  let headings = 0
  let tops = 0
  const limits = createLimits(html.length)
  const outline = createOutline(limits, (level, heading) => {
    const isFirst = headings++ === 0
    if (level === 1) tops++
    const isTitle = level === 1 || (isFirst && (profile.firstIsTitle || isTitled(wholeTitle, heading)))
    if (title !== null || !isTitle) return false
    title = heading
    return true
  })
  const isIndex = dom.isIndex || profile.index.some((key) => dom.candidates.has(key))
  const main = findMain(dom, profile)
  const isBanner = (heading: string, href: string) =>
    wholeTitle !== '' && !collapse(wholeTitle).includes(heading) && resolve(href, base)?.href !== url
  walk(main, profile, outline, main.name === 'body', isBanner)
  const sections = isIndex ? [] : outline.finish()
  const ids = readIds(whole)
  if (isListing(sections, ids)) sections.length = 0
  // If all headings have the first level, as in pages made from POD, none of them is the page's title.
  if (tops > 1 && profile.name === 'plain' && headTitle !== '') title = headTitle
  const { links, fragments } = readLinks(dom, base, url, limits)
  return {
    title: limits.title(withoutEnd(seenLine(title ?? (headTitle || sections[0]?.heading || fileName(url))))),
    siteName: readSiteName(wholeTitle, title ?? headTitle, profile, dom.metas),
    ...readHead(dom, base, url, limits),
    sections,
    links: [...links],
    named: { ids, fragments },
    cut: [...limits.cut],
  }
}

/**
 * Unique absolute http(s) addresses without fragment, in document order, without `rel=nofollow`, the page's own
 * source and copies of the site. Their total size is limited, because a long base makes short links long.
 */
function readLinks(dom: PageDom, base: string, page: string, limits: Limits) {
  const seen = new Map<string, string | null>([['', '']])
  const links = new Set<string>()
  const fragments = new Map<string, Set<string>>()
  const own = toStem(URL.parse(page)?.pathname ?? 'none')
  let left = maxFragments
  for (const link of dom.links) {
    const href = link.href!
    const hash = href.indexOf('#')
    const target = hash < 0 ? href : href.slice(0, hash)
    if (link.rel !== undefined && relations(link).includes('nofollow')) continue
    // Most links of a page repeat, and resolving is slow.
    if (!seen.has(target) || (target === '' && hash < 0)) {
      const url = resolve(target, base)
      const isWeb = url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
      const stem = isWeb && textFile.test(url.pathname) ? toStem(url.pathname) : ' '
      const isFollowed = isWeb && stem !== own && !copyOfSite.test(url.pathname)
      if (target !== '') seen.set(target, isFollowed ? url.href : null)
      if (!isFollowed) continue
      if (!links.has(url.href) && !limits.hasRoom(url.href)) break
      links.add(url.href)
    }
    const anchor = hash < 0 ? null : readAnchor(href.slice(hash + 1))
    const key = seen.get(target)
    if (anchor === null || key == null || left-- <= 0) continue
    fragments.set(key, (fragments.get(key) ?? new Set()).add(anchor))
  }
  return { links, fragments: new Map([...fragments].map(([link, anchors]) => [link, [...anchors]])) }
}

const textFile = /\.(?:mdx?|rst|txt|adoc)$/i
/** The text of a whole site for language models. */
const copyOfSite = /\/llms(?:-[\w-]+)?\.txt$/
/** `/a/`, `/a.html`, `/a/index.md` and `/_sources/a.rst.txt` become `/a`, which a page and its source have in common. */
const toStem = (path: string): string =>
  path.replace('/_sources/', '/').replace(/(?:\/(?:index)?)?(?:\.(?:html?|mdx?|rst|txt|adoc))*$/i, '')

/** Maximum links with an anchor to read, including repeated ones. */
const maxFragments = 20_000
const maxAnchorLength = 200

/** Returns null if the fragment names no element: the top, a client-side route, a text fragment. */
function readAnchor(fragment: string): string | null {
  if (fragment.length > maxAnchorLength || /^$|^top$|^[/!:]|\s/i.test(fragment)) return null
  const anchor = decodeUrl(fragment)
  return /\s/.test(anchor) ? null : anchor
}

/** Unique ids and names of elements. Also matches text and scripts that look like one, which at worst hides a broken link. */
function readIds(html: string): string[] {
  const ids = Array.from(
    html.matchAll(/\s(?:id|name)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^"'\s>]+))/gi),
    (found) => (found[1] ?? found[2] ?? found[3]!).replaceAll('&amp;', '&'),
  )
  return [...new Set(ids)]
}

/** Minimum numbered lines of a listing. */
const minLines = 5
const lineId = /^(?:line|l)?[-._]?0*[1-9]\d*$/i

/** Whether a page is source code with an id for each line. */
function isListing(sections: Section[], ids: string[]): boolean {
  if (ids.filter((id) => lineId.test(id)).length < minLines) return false
  return sections.every(({ blocks }) => blocks.every(({ kind, linked }) => kind === 'code' || linked))
}

/** Minimum share of the parent's text for descending into a child. */
const share = 0.8
/** An element with one of these children is the content itself. */
const contentTags = new Set(['p', 'pre', 'h1', 'h2', 'h3', 'h4', 'dl', 'table'])
/** Content too, but menus also use these. */
const lists = new Set(['ul', 'ol', 'menu'])

/** Length of the text outside links, for the node and (in `sizes`) every element below it. */
function measure(node: ChildNode, sizes: Map<ChildNode, number>): number {
  if (isText(node)) return node.data.trim().length
  if (!isTag(node) || node.name === 'a') return 0
  let size = 0
  for (const child of node.children) size += measure(child, sizes)
  sizes.set(node, size)
  return size
}

/**
 * Descends from the body while one child has most of the text outside links.
 *
 *   body 1000 → div.menu 40, div.page 960 → div.wrap 955 → h1, p, p: stops at div.wrap, whose children are content
 */
function densest(body: Element): Element {
  const sizes = new Map<ChildNode, number>()
  let current = body
  let size = measure(body, sizes)
  for (;;) {
    if (current.children.some((child) => isTag(child) && contentTags.has(child.name))) return current
    const next = current.children.find((child) => (sizes.get(child) ?? 0) > share * size)
    if (!next || !isTag(next) || contentTags.has(next.name) || lists.has(next.name)) return current
    current = next
    size = sizes.get(next)!
  }
}

function findMain(dom: PageDom, profile: Profile): Element {
  for (const key of profile.main) {
    const found = dom.candidates.get(key)
    // Several articles are a list of posts: none is the main element.
    if (!found || (key === 'article' && found.length > 1)) continue
    return key === 'main' && found.length > 1 ? new Element('main', {}, outermost(found)) : found[0]!
  }
  return profile.name === 'plain' ? densest(dom.body) : dom.body
}

/** The elements that are not inside another one, in document order. */
function outermost(elements: Element[]): Element[] {
  const inside = new Set<ChildNode>()
  return elements.filter((element) => {
    for (let above = element.parent; above !== null && isTag(above); above = above.parent)
      if (inside.has(above)) return false
    inside.add(element)
    return true
  })
}
