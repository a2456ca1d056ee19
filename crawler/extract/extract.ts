// HTML → page: head, main content, outline and links. tidy-html.ts reads well-formed pages, parse5 all others (page-dom.ts).
import { type ChildNode, Element, isTag, isText } from 'domhandler'
import { cutTitle, isTitled, readHead, readWholeTitle, resolve, toBase } from './head.ts'
import { createOutline, seenLine } from './outline.ts'
import { createLimits, type ExtractedPage, type Limits } from './page.ts'
import { type PageDom, relations, toPageDom } from './page-dom.ts'
import { type Profile, toPageProfile } from './profiles.ts'
import { withoutEnd } from './visible.ts'
import { walk } from './walk.ts'

/** Changes when extraction gives other sections for the same page, so that stored pages are extracted again. */
export const extractorVersion = 'x10'

/**
 * Extracts a page. `url` is the address it was fetched from, absolute. Takes any text and never throws; a page
 * without content has no sections. Time and memory are linear in the page's length.
 */
export function extract(html: string, url: string): ExtractedPage {
  const whole = clean(html)
  const dom = toPageDom(whole)
  const profile = toPageProfile(dom.generator, (key) => dom.candidates.has(key))
  const base = toBase(dom, url)
  const wholeTitle = readWholeTitle(dom)
  const headTitle = cutTitle(wholeTitle, profile)

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
  walk(main, profile, outline, main.name === 'body')
  const sections = isIndex ? [] : outline.finish()
  // Where every section has a heading of the first level, as in pages made of POD, none of them is the page's.
  if (tops > 1 && profile.name === 'plain' && headTitle !== '') title = headTitle
  const { links, fragments } = readLinks(dom, base, limits)
  const page = {
    title: limits.title(withoutEnd(seenLine(title ?? (headTitle || sections[0]?.heading || '')))),
    ...readHead(dom, base, url, limits),
    sections,
    links: [...links],
    named: { ids: readIds(whole), fragments },
  }
  return { ...page, cut: [...limits.cut] }
}

/** Lone halves of a pair and null characters are no text. */
function clean(html: string): string {
  const whole = html.isWellFormed() ? html : html.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole
}

/**
 * Absolute http(s) addresses without fragment, in document order, each once; `rel=nofollow` is left out. Each
 * must have room: short links become long ones behind a long base.
 */
function readLinks(dom: PageDom, base: string, limits: Limits) {
  const seen = new Map<string, string | null>([['', '']])
  const links = new Set<string>()
  const fragments = new Map<string, Set<string>>()
  let left = maxFragments
  for (const link of dom.links) {
    const href = link.href!
    const hash = href.indexOf('#')
    const target = hash < 0 ? href : href.slice(0, hash)
    if (link.rel !== undefined && relations(link).includes('nofollow')) continue
    // Most links of a page repeat; resolving is what costs.
    if (!seen.has(target) || (target === '' && hash < 0)) {
      const url = resolve(target, base)
      const isWeb = url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
      if (target !== '') seen.set(target, isWeb ? url.href : null)
      if (!isWeb) continue
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

/** Links of a page with an anchor that are looked at, those that repeat, too. */
const maxFragments = 20_000
const maxAnchorLength = 200

/** Null for what names no element: the top, a route of a script, a text to be found. */
function readAnchor(fragment: string): string | null {
  if (fragment.length > maxAnchorLength || /^$|^top$|^[/!:]|\s/i.test(fragment)) return null
  try {
    const anchor = decodeURIComponent(fragment)
    return /\s/.test(anchor) ? null : anchor
  } catch {
    return fragment
  }
}

/** Ids and names of elements, each once. What in scripts and texts looks like one is taken, too: it hides a fault, and makes none. */
function readIds(html: string): string[] {
  const ids = Array.from(
    html.matchAll(/\s(?:id|name)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^"'\s>]+))/gi),
    (found) => (found[1] ?? found[2] ?? found[3]!).replaceAll('&amp;', '&'),
  )
  return [...new Set(ids)]
}

/** Share of the parent's text that one child must hold to be gone into. */
const share = 0.8
/** An element with one of these as a child is the content itself. */
const contentTags = new Set(['p', 'pre', 'h1', 'h2', 'h3', 'h4', 'dl', 'table'])
/** Content too, but a site's menu is one of these as well. */
const lists = new Set(['ul', 'ol', 'menu'])

/**
 * Length of the text outside links, for the node and (in `sizes`) every element below it.
 */
function measure(node: ChildNode, sizes: Map<ChildNode, number>): number {
  if (isText(node)) return node.data.trim().length
  if (!isTag(node) || node.name === 'a') return 0
  let size = 0
  for (const child of node.children) size += measure(child, sizes)
  sizes.set(node, size)
  return size
}

/**
 * Goes down from the body as long as one child holds most of the text outside links.
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
    // Several articles are a list of posts: none of them is the page.
    if (!found || (key === 'article' && found.length > 1)) continue
    return key === 'main' && found.length > 1 ? new Element('main', {}, outermost(found)) : found[0]!
  }
  return profile.name === 'plain' ? densest(dom.body) : dom.body
}

/** The elements, in document order, that are not inside another one. */
function outermost(elements: Element[]): Element[] {
  const inside = new Set<ChildNode>()
  return elements.filter((element) => {
    for (let above = element.parent; above !== null && isTag(above); above = above.parent)
      if (inside.has(above)) return false
    inside.add(element)
    return true
  })
}
