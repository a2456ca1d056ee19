// Finds the element that holds a page's content: where its generator puts it, else where the text is densest.
import { type ChildNode, Element, isTag, isText } from 'domhandler'
import type { PageDom } from './page-dom.ts'
import type { Profile } from './profiles.ts'

/** Share of the parent's text that one child must hold to be gone into. */
const share = 0.8
/** What stands beside the content, not round it: an element with one of these as a child is the content itself. */
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

export function findMain(dom: PageDom, profile: Profile): Element {
  for (const key of profile.main) {
    const found = dom.candidates.get(key)
    // Several articles are a list of posts: none of them is the page.
    if (!found || (key === 'article' && found.length > 1)) continue
    return key === 'main' && found.length > 1 ? new Element('main', {}, outermost(found)) : found[0]!
  }
  return profile.name === 'plain' ? densest(dom.body) : dom.body
}

/** Those in document order that stand in none of the others. */
function outermost(elements: Element[]): Element[] {
  const inside = new Set<ChildNode>()
  return elements.filter((element) => {
    for (let above = element.parent; above !== null && isTag(above); above = above.parent)
      if (inside.has(above)) return false
    inside.add(element)
    return true
  })
}
