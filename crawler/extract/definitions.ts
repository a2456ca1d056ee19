// Recognizes definitions with their own id in the HTML of each generator: their names and their bodies.
import { type ChildNode, type Element, isTag, isText } from 'domhandler'
import { classNames } from './visible.ts'

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
const lookedThrough = new Set(['span', 'p', 'strong', ...codeTags])

/** The id of an element, of the first `a` in it, or of an element in one of its children. */
export function ownAnchor(element: Element): string | null {
  if (element.attribs.id) return element.attribs.id
  for (const child of childTags(element)) {
    if (child.name === 'a' && (child.attribs.id || child.attribs.name)) {
      return child.attribs.id || child.attribs.name || null
    }
    if (lookedThrough.has(child.name)) {
      const inner = ownAnchor(child)
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

const rustItem =
  /^(?:method|tymethod|variant|structfield|associatedtype|associatedconstant|field)\.|^variant\..*\.field\./

/** The next tags, up to the first for which `ends` is true. */
function tagsAfter(element: Element, ends: (tag: Element) => boolean): Element[] {
  const tags: Element[] = []
  for (let next = element.next; next !== null; next = next.next) {
    if (!isTag(next)) continue
    if (ends(next)) break
    tags.push(next)
  }
  return tags
}

const docblocks = ['docblock', 'item-info', 'sub-variant']

/** rustdoc: `section#method.x` or `span#structfield.x`, followed by `div.docblock`. */
const rustHead: Shape = (element) => {
  if (!rustItem.test(element.attribs.id ?? '')) return null
  const body = tagsAfter(element, (tag) => !docblocks.some((name) => has(tag, name)))
  return {
    heads: [{ anchor: element.attribs.id!, signature: element.children }],
    body,
    last: body.at(-1) ?? element,
  }
}

/** rustdoc: `details > summary > section#method.x`. The rest of `details` is the body. */
const rustToggle: Shape = (element) => {
  const summary = childTags(element).find((child) => child.name === 'summary')
  const head = summary && childTags(summary).find((child) => rustItem.test(child.attribs.id ?? ''))
  if (!summary || !head) return null
  const body = element.children.filter((child) => child !== summary)
  return { heads: [{ anchor: head.attribs.id!, signature: head.children }], body, last: element }
}

/** Javadoc from 16: `section.detail#name(args)` with the name as heading and the signature in a separate block. */
const javaDetail: Shape = (element) => {
  if (!has(element, 'detail') || !element.attribs.id) return null
  const tags = childTags(element)
  const name = tags.find((child) => /^h\d$/.test(child.name))
  const signature = tags.find((child) => has(child, 'member-signature')) ?? name
  if (!signature) return null
  const body = element.children.filter((child) => child !== signature && child !== name)
  return { heads: [{ anchor: element.attribs.id, signature: signature.children }], body, last: element }
}

/** Javadoc 8 to 15: `li.blockList` with `h4` and `pre`. The id is in an `a` before it or before its list. */
const javaBlock: Shape = (element) => {
  const tags = childTags(element)
  const name = tags.find((child) => child.name === 'h4')
  const signature = tags.find((child) => child.name === 'pre')
  if (!name || !signature) return null
  const anchor = ownAnchor(element) ?? anchorBefore(element.parent)
  if (anchor === null) return null
  const body = element.children.filter((child) => child !== signature && child !== name)
  return { heads: [{ anchor, signature: signature.children }], body, last: element }
}

function anchorBefore(list: Element['parent']): string | null {
  for (let node = list?.prev ?? null; node !== null; node = node.prev) {
    if (isTag(node)) return node.name === 'a' ? (node.attribs.name ?? node.attribs.id ?? null) : null
  }
  return null
}

/** Doxygen: `a#id`, `h2.memtitle` and `div.memitem` with `div.memproto` and `div.memdoc`. */
const doxygenMember: Shape = (element) => {
  if (!has(element, 'memitem')) return null
  const [prototype, ...body] = childTags(element)
  let before = element.prev
  while (before !== null && !(isTag(before) && before.name === 'a')) before = before.prev
  const anchor = before?.attribs.id
  if (!anchor || !prototype) return null
  return { heads: [{ anchor, signature: prototype.children }], body, last: element }
}

/** Doxygen's summary rows: a member that is only described here has its id here. Others are repeated below. */
const doxygenRow: Shape = (element) => {
  if (!/\bmem(?:item|desc):[^\s]/.test(element.attribs.class ?? '')) return null
  const anchor = childTags(element)
    .map(ownAnchor)
    .find((id) => id !== null)
  if (anchor === undefined || anchor === null) return { heads: [], body: [], last: element }
  const body = tagsAfter(element, (row) => !/\bmemdesc:/.test(row.attribs.class ?? ''))
  return { heads: [{ anchor, signature: element.children }], body, last: body.at(-1) ?? element }
}

/** pdoc: `section#name` or `div#name` with `div.attr`, the source code, which is omitted, and `div.docstring`. */
const pdocMember: Shape = (element) => {
  const tags = childTags(element)
  const head = tags.find((child) => has(child, 'attr'))
  if (!head && !has(element, 'module-info')) return null
  const body = tags.filter((child) => child !== head && !has(child, 'pdoc-code'))
  const { id } = element.attribs
  return { heads: head && id ? [{ anchor: id, signature: head.children }] : [], body, last: element }
}

/** Haddock: `p.src` with `a.def`, followed by its description up to the next. */
const haddockEntry: Shape = (element) => {
  const anchor = has(element, 'src') ? ownAnchor(element) : null
  if (anchor === null) return null
  const body = tagsAfter(element, (tag) => has(tag, 'src'))
  return { heads: [{ anchor, signature: element.children }], body, last: body.at(-1) ?? element }
}

/** Tag → shape. `dl` is the same for all generators: see `descriptionGroups`. */
export const docbookShapes = new Map<string, Shape>([['td', cellEntry]])
export const rustdocShapes = new Map<string, Shape>([
  ['section', rustHead],
  ['span', rustHead],
  ['details', rustToggle],
])
export const javadocShapes = new Map<string, Shape>([
  ['section', javaDetail],
  ['li', javaBlock],
])
export const doxygenShapes = new Map<string, Shape>([
  ['div', doxygenMember],
  ['tr', doxygenRow],
])
export const pdocShapes = new Map<string, Shape>([
  ['section', pdocMember],
  ['div', pdocMember],
])
export const haddockShapes = new Map<string, Shape>([['p', haddockEntry]])
