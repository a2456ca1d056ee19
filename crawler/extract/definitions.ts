// Recognizes definitions with their own id in the HTML of each generator: their names and their bodies.
import { type ChildNode, type Element, isTag, isText, Text } from 'domhandler'
import { findTag, headingTag, isBackLink, isLayoutTag, isOf, readText } from './element-text.ts'
import { collapse } from './outline.ts'
import { isText as isTooLong } from './page.ts'
import { type ClassSet, classNames } from './visible.ts'

interface Definition {
  /**
   * All share the body. Each has its own id, and the nodes whose text is its signature. None: the body belongs to the section
   * around it.
   */
  heads: { anchor: string; signature: ChildNode[] }[]
  body: ChildNode[]
  /** The last sibling that belongs to the definition. */
  last: ChildNode
}

export type Shape = (element: Element) => Definition | null

const has = (element: Element, className: string) =>
  element.attribs.class !== undefined && classNames(element.attribs.class).includes(className)

const childTags = (element: Element): Element[] => element.children.filter(isTag)

/** Attribute in which the parser stores a permalink's target, on the element that contained it. */
export const permalinkAttribute = 'data-permalink'

export const codeTags = ['code', 'tt', 'samp', 'kbd']
const lookedThrough = new Set(['span', 'p', 'div', 'strong', ...codeTags])

/** The id of an element, of the first `a` in it, or of an element in one of its children. */
export function ownAnchor(element: Element, isAnchor = (_link: Element) => true): string | null {
  if (element.attribs.id) return element.attribs.id
  for (const child of childTags(element)) {
    if (child.name === 'a' && (child.attribs.id || child.attribs.name) && isAnchor(child)) {
      return child.attribs.id || child.attribs.name || null
    }
    if (lookedThrough.has(child.name)) {
      const inner = ownAnchor(child, isAnchor)
      if (inner !== null) return inner
    }
  }
  return null
}

/**
 * The first of the empty anchors that a description begins or ends with. Texinfo writes index entries of a term there: at the
 * end of the description before it, or at the beginning of its own.
 */
export function edgeAnchor(description: Element | undefined, edge: 'begin' | 'end'): string | null {
  const anchors: (string | undefined)[] = []
  const nodes = description?.children ?? []
  for (const node of edge === 'begin' ? nodes : nodes.toReversed()) {
    if (isText(node) && node.data.trim() === '') continue
    if (!isTag(node) || !/^(?:a|span)$/.test(node.name) || node.children.length > 0) break
    anchors.push(node.attribs.id ?? node.attribs.name)
  }
  return anchors.at(edge === 'begin' ? 0 : -1) ?? null
}

/** Groups of terms and descriptions of a `dl`, including those in `div` wrappers. */
export function descriptionGroups(list: Element): { terms: Element[]; descriptions: Element[] }[] {
  const groups: { terms: Element[]; descriptions: Element[] }[] = []
  const tags = childTags(list).flatMap((child) => (child.name === 'div' ? childTags(child) : [child]))
  for (const tag of tags) {
    const last = groups[groups.length - 1]
    if (tag.name === 'dt') {
      if (last && last.descriptions.length === 0) last.terms.push(tag)
      else groups.push({ terms: [tag], descriptions: [] })
    } else if (last) last.descriptions.push(tag)
    else groups.push({ terms: [], descriptions: [tag] })
  }
  return groups
}

/** A table cell that starts with signatures, which are paragraphs with an anchor, followed by their description. */
const cellEntry: Shape = (cell) => {
  const heads = new Map<ChildNode, Definition['heads'][number]>()
  for (const child of childTags(cell)) {
    const anchor = child.name === 'p' ? ownAnchor(child) : null
    if (anchor === null) break
    heads.set(child, { anchor, signature: child.children })
  }
  const body = cell.children.filter((child) => !heads.has(child))
  if (heads.size === 0 || !body.some(isTag)) return null
  return { heads: [...heads.values()], body, last: cell }
}

const blockTag = /^(?:h[1-6]|table|ul|ol|menu|dl|pre|blockquote|figure|details|section|article|hr|form)$/

/** A table row, not of a header or for layout, whose first cell is a line with an anchor and a word. A note's reference is no anchor. */
export const namedRow: Shape = (row) => {
  const [first, ...body] = childTags(row)
  if (!first || !body.some(({ name }) => name === 'td')) return null
  let paragraphs = 0
  const isBlock = ({ name }: Element) => blockTag.test(name) || (name === 'p' && paragraphs++ > 0)
  // Neither looks into a nested table, so the total is linear.
  if (findTag([first], isBlock) || headingTag.test(findTag(body, isLayoutTag)?.name ?? '')) return null
  const anchor = ownAnchor(first, (a) => !isBackLink(a))
  const text = collapse(readText(first))
  if (anchor === null || isTooLong(text) || !/\p{L}/u.test(text)) return null
  return { heads: [{ anchor, signature: first.children }], body, last: row }
}

/** A definition in one element: the body is what is neither signature nor omitted. Without an anchor, it has no name. */
function enclose(
  element: Element,
  anchor: string | null | undefined,
  signature: Element,
  ...omitted: Element[]
): Definition {
  const heads = anchor ? [{ anchor, signature: signature.children }] : []
  const left = new Set<ChildNode>(anchor ? [signature, ...omitted] : omitted)
  return { heads, body: element.children.filter((child) => !left.has(child)), last: element }
}

/** A definition whose body are the next tags, up to the first for which `ends` is true. */
function precede(element: Element, anchor: string, ends: (tag: Element) => boolean): Definition {
  const heads = [{ anchor, signature: element.children }]
  const body: ChildNode[] = []
  let last: ChildNode = element
  for (let next = element.next; next !== null && !(isTag(next) && ends(next)); next = next.next) {
    if (!isTag(next)) continue
    body.push(...(next.name === 'tr' ? next.children : [next]))
    last = next
  }
  return { heads, body, last }
}

/** The anchor before an element, or before its heading. */
function anchorBefore(element: Element['parent']): string | null {
  for (let node = element?.prev ?? null; node !== null; node = node.prev) {
    if (isTag(node) && !headingTag.test(node.name))
      return node.name === 'a' ? (node.attribs.name ?? node.attribs.id ?? null) : null
  }
  return null
}

const rustItem =
  /^(?:method|tymethod|variant|structfield|associatedtype|associatedconstant|field)\.|^variant\..*\.field\./
const docblocks = ['docblock', 'item-info', 'sub-variant']

/** rustdoc: `section#method.x` or `span#structfield.x`, followed by `div.docblock`. */
const rustHead: Shape = (element) => {
  const { id = '' } = element.attribs
  return rustItem.test(id) ? precede(element, id, (tag) => !docblocks.some((name) => has(tag, name))) : null
}

/** rustdoc: `details > summary > section#method.x`. The rest of `details` is the body. */
const rustToggle: Shape = (element) => {
  const summary = childTags(element).find((child) => child.name === 'summary')
  const head = summary && childTags(summary).find((child) => rustItem.test(child.attribs.id ?? ''))
  return head ? enclose(element, head.attribs.id, head, summary) : null
}

/** Javadoc 8 to 15: `li.blockList` with `h4` and `pre`. The id is in an `a` before it or before its list. */
const javaBlock: Shape = (element) => {
  const tags = childTags(element)
  const name = tags.find((child) => child.name === 'h4')
  const signature = tags.find((child) => child.name === 'pre')
  const anchor = name && signature ? (ownAnchor(element) ?? anchorBefore(element.parent)) : null
  return anchor === null ? null : enclose(element, anchor, signature!, name!)
}

/** Doxygen's summary rows: a member that is only described here has its id here. Others are repeated below. */
const doxygenRow: Shape = (element) => {
  if (!/\bmem(?:item|desc):\S/.test(element.attribs.class ?? '')) return null
  const [anchor = null] = childTags(element)
    .map((cell) => ownAnchor(cell))
    .filter((id) => id !== null)
  return anchor === null
    ? { heads: [], body: [], last: element }
    : precede(element, anchor, (row) => !/\bmemdesc:/.test(row.attribs.class ?? ''))
}

/** Members that every Scala class has. */
const isOfEveryClass = ({ attribs }: Element): boolean =>
  /^(?:scala\.)?(?:Any|AnyRef|Product|Equals)(?:#|$)/.test(attribs['data-f-inherited'] ?? attribs.name ?? '')

/**
 * An element with an id that begins with signatures, after a heading with the name alone. Spans are parts of one signature. The id may
 * be in the first signature, or in an `a` before it or before the element. `repeated`: classes of children that repeat other text.
 */
export function createMember(signatures: ClassSet, repeated: ClassSet): Shape {
  return (element) => {
    const tags = childTags(element)
    const heads = tags.filter((child) => isOf(signatures, child))
    const [first] = heads
    if (!first) return null
    if (isOfEveryClass(element)) return { heads: [], body: [], last: element }
    const begin = tags.slice(0, tags.indexOf(first) + 1)
    const ids = [element.attribs.id, ...begin.map((child) => ownAnchor(child)), anchorBefore(element)]
    const anchor = ids.find(Boolean)
    // Scaladoc has only a short comment if there is no more to say.
    const isRepeated = (tag: Element) => isOf(repeated, tag) && element.attribs.fullcomment !== 'no'
    const names = anchor ? [...heads, ...begin.filter(({ name }) => headingTag.test(name))] : []
    const definition = enclose(element, anchor, first, ...names, ...tags.filter(isRepeated))
    for (const { name, children } of heads.slice(1)) {
      if (name === 'span') definition.heads[0]?.signature.push(new Text(' '), ...children)
      else if (anchor) definition.heads.push({ anchor, signature: children })
    }
    return definition
  }
}

/** Haddock: `p.src` with `a.def`, followed by its description up to the next. */
const haddockEntry: Shape = (element) => {
  const anchor = has(element, 'src') ? ownAnchor(element) : null
  return anchor === null ? null : precede(element, anchor, (tag) => has(tag, 'src'))
}

/** Generator → tag → shape, besides members and rows. `dl` is the same for all generators: see `descriptionGroups`. */
export const shapes: Record<string, Record<string, Shape>> = {
  docbook: { td: cellEntry },
  rustdoc: { section: rustHead, span: rustHead, details: rustToggle },
  javadoc: { li: javaBlock },
  doxygen: { tr: doxygenRow },
  haddock: { p: haddockEntry },
}
