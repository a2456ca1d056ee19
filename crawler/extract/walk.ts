// Walks the main content of a page in reading order, and reports headings, blocks and text to an outline.
import { type ChildNode, type Element, isTag, isText } from 'domhandler'
import { codeTags, descriptionGroups, edgeAnchor, ownAnchor, permalinkAttribute } from './definitions.ts'
import {
  codeText,
  findTag,
  imageText,
  isLayoutTag,
  isNoteNumber,
  isNoteReference,
  isOf,
  lineText,
  readText,
} from './element-text.ts'
import type { Outline } from './outline.ts'
import type { SectionName } from './page.ts'
import { tellManualPage } from './plain-text.ts'
import type { Profile } from './profiles.ts'
import { withoutEnd } from './visible.ts'

const blocks =
  `p div section article main blockquote figure figcaption details summary header footer address hr fieldset form
   center aside caption dd dt li legend label tr td th thead tbody tfoot body hgroup`.split(/\s+/)
/** Wrappers whose id is the anchor of the first heading in them. */
const wrappers = new Set(['div', 'section', 'article', 'header', 'details', 'main'])
/** Elements that belong to the site, not the page, if the main element is the whole body. */
const furniture = new Set(['aside', 'header'])
/** Classes of a code example → the note that readers see. */
const codeNotes: [RegExp, string][] = [
  [/\b(?:does_not_compile|compile_fail)\b/, 'This code does not compile.'],
  [/\b(?:should_panic|panics)\b/, 'This code panics.'],
  [/\bnot_desired_behavior\b/, 'This code does not do what is wanted.'],
]
/** Lists of notes, which are not definitions. */
const footnoteList = /\b(?:footnote|citation)\b/

/**
 * `pageLevel`: the main element is the whole body, so its header and asides belong to the site. `isBanner`: whether the
 * page's first heading, which is nothing but a link to `href`, is the site's name.
 */
export function walk(
  main: Element,
  profile: Profile,
  outline: Outline,
  pageLevel: boolean,
  isBanner: (heading: string, href: string) => boolean,
): void {
  let wrapper: string | null = null
  let wrapperAt = -1
  /** Name of an anchor directly before the current position. It is the anchor of a heading that follows and has none. */
  let named: string | null = null
  let hasTitle = false
  let inLink = false

  function walkChildren(nodes: readonly ChildNode[]): void {
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index]!
      if (isText(node)) {
        if (named !== null && node.data.trim() !== '') named = null
        outline.text(node.data, inLink)
      } else if (isTag(node)) {
        const last = walkElement(node)
        if (last !== node) index = nodes.indexOf(last, index)
      }
    }
  }

  /** Walks an element. Returns the last sibling that was read with it. */
  function walkElement(element: Element): ChildNode {
    const { name, attribs } = element
    if (isOf(profile.drop, element)) return element
    const id = attribs.id
    if (id !== undefined && profile.droppedIds.has(id)) return element
    const definition = profile.shapes.get(name)?.(element)
    if (definition) {
      const heads = definition.heads.map(({ anchor, signature }) => ({
        heading: withoutEnd(lineText(signature, profile.drop)),
        anchor,
      }))
      if (heads.length === 0) walkChildren(definition.body)
      else define(heads, definition.body)
      return definition.last
    }
    const read = readers.get(name)
    if (!hasTitle && isOf(profile.titles, element)) walkHeading(element, 1)
    else if (isOf(profile.code, element)) outline.code(codeText(element, profile.drop))
    else if (read !== undefined) read(element)
    else if (name !== 'a' || !isNoteReference(element)) {
      if (id !== undefined || (name === 'a' && attribs.name !== undefined)) named = id ?? attribs.name ?? null
      const outer = inLink
      inLink ||= name === 'a' && attribs.href !== undefined && !attribs.href.startsWith('#')
      walkChildren(element.children)
      inLink = outer
    }
    return element
  }

  function define(names: SectionName[], body: readonly ChildNode[]): void {
    named = null
    outline.definition(names, () => walkChildren(body))
    named = null
  }

  function walkBlock(element: Element): void {
    if (pageLevel && furniture.has(element.name)) return
    outline.endText()
    const id = element.attribs.id
    if (id !== undefined && wrappers.has(element.name)) {
      wrapper = id
      wrapperAt = outline.count()
    }
    walkChildren(element.children)
    outline.endText()
    if (wrapper === id) wrapper = null
  }

  function walkHeading(element: Element, level: number): void {
    const parent = element.parent
    const unnamed = hasTitle && headingAnchor(element) === null ? 'unnamed' : ''
    const names = [element.name, unnamed, parent && isTag(parent) ? parent.attribs.class : ''].join(' ')
    if (profile.captions.match(names)) {
      walkBlock(element)
      return
    }
    outline.endText()
    if (isNoteNumber(element)) return
    const text = lineText(element.children, profile.drop)
    const heading = withoutNumber(element, text) || imageText(element)
    if (heading === '') return
    const [link, ...others] = element.children.filter((child) => !isText(child) || child.data.trim() !== '')
    const href = link && isTag(link) && others.length === 0 ? link.attribs.href : undefined
    if (outline.count() === 0 && href?.startsWith('#') === false && isBanner(heading, href)) return
    outline.heading(level, heading, headingAnchor(element))
    hasTitle = true
    wrapper = null
    named = null
  }

  function withoutNumber(element: Element, text: string): string {
    const first = element.children.find((child) => isText(child) && child.data.trim() !== '')
    if (!profile.number || !first || !isText(first)) return text
    // The collapsed text has lost the no-break spaces of the label, so match the uncollapsed text.
    const label = profile.number.exec(first.data.replace(/^[ \t\n]+/, ''))?.[0] ?? ''
    return text.slice(label.length)
  }

  function headingAnchor(element: Element): string | null {
    const { id } = element.attribs
    if (id) return id
    if (wrapper !== null && wrapperAt === outline.count()) return wrapper
    return ownAnchor(element) ?? (element.attribs[permalinkAttribute] || named)
  }

  function walkList(element: Element): void {
    if (isOf(profile.layoutLists, element)) {
      walkBlock(element)
      return
    }
    outline.startList()
    outline.within('list', () => {
      for (const child of element.children) {
        if (isTag(child) && child.name === 'li') outline.startItem()
        walkChildren([child])
      }
    })
  }

  function walkDescriptions(element: Element): void {
    const isNote = footnoteList.test(element.attribs.class ?? '')
    let before: Element | undefined
    for (const { terms, descriptions } of descriptionGroups(element)) {
      if (terms.length > 0 && terms.every((term) => isOf(profile.drop, term))) continue
      const near = () => edgeAnchor(before, 'end') ?? edgeAnchor(descriptions[0], 'begin')
      const names = isNote ? [] : toNames(terms, near)
      before = descriptions.at(-1)
      if (names.length === 0) walkDescription(terms, descriptions)
      else define(names, descriptions)
    }
  }

  /** Terms without an anchor get that of the first term that has one, or else the one `near` them. Without any, they are no names. */
  function toNames(terms: Element[], near: () => string | null): SectionName[] {
    const names: SectionName[] = []
    for (const term of terms) {
      // Texinfo prints a colon after a kind, even if it is empty.
      const heading = withoutEnd(lineText(term.children, profile.drop)).replace(/^: /, '')
      const last = names.at(-1)
      // Texinfo indents further lines of a term.
      if (last && readText(term).startsWith('\u00a0')) last.heading += ` ${heading}`
      else if (heading !== '') names.push({ heading, anchor: ownAnchor(term) })
    }
    const first = names.find(({ anchor }) => anchor !== null)?.anchor ?? near()
    return first === null ? [] : names.map(({ heading, anchor }) => ({ heading, anchor: anchor ?? first }))
  }

  function walkDescription(terms: Element[], descriptions: Element[]): void {
    outline.within('list', () => {
      for (const [at, term] of terms.entries()) {
        outline.startItem(at > 0)
        walkChildren(term.children)
      }
      outline.startDescription()
      for (const [at, description] of descriptions.entries()) {
        if (at > 0) outline.startItem()
        walkBlock(description)
      }
    })
  }

  function walkTable(element: Element): void {
    if (isLayout(element)) walkBlock(element)
    else {
      outline.startGroup()
      walkRows(element)
    }
  }

  function walkRows(element: Element): void {
    for (const child of element.children) {
      if (!isTag(child)) continue
      // A row may be a definition.
      if (child.name === 'caption' || profile.shapes.get(child.name)?.(child)) walkElement(child)
      else if (child.name !== 'tr') walkRows(child)
      else {
        for (const cell of child.children.filter(isTag)) {
          outline.within('cell', () => walkElement(cell))
          outline.endCell()
        }
        outline.endRow()
      }
    }
  }

  function walkCode(element: Element): void {
    named = null
    const note = readCodeNote(element)
    if (note !== null) outline.note(note)
    const code = codeText(element, profile.drop)
    if (outline.count() > 0 || !tellManualPage(code, outline)) outline.code(code)
  }

  /** Inline code, or a block if it has several lines. Not code if it is empty, or contains blocks or other code. */
  function walkInlineCode(element: Element): void {
    const { children } = element
    const hasBreak = children.some((child) => isTag(child) && child.name === 'br')
    const block = findTag(children, ({ name }) => name !== 'br' && readers.has(name))
    if (block || readText(element).trim() === '') walkChildren(children)
    else if (hasBreak && !outline.isInCell()) walkCode(element)
    else {
      outline.mark()
      walkChildren(children)
      outline.mark()
    }
  }

  const readers = new Map<string, (element: Element) => void>([
    ...blocks.map((tag) => [tag, walkBlock] as const),
    ['ul', walkList],
    ['ol', walkList],
    ['menu', walkList],
    ['dl', walkDescriptions],
    ['table', walkTable],
    ['pre', walkCode],
    ['br', () => outline.text(' ')],
    ...codeTags.map((tag) => [tag, walkInlineCode] as const),
    ...[1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, (tag: Element) => walkHeading(tag, level)] as const),
  ])

  walkChildren(main.children)
}

/** Whether a table is for layout: it contains headings or tables. Stops at the first nested table, so the total is linear. */
const isLayout = (table: Element): boolean =>
  table.attribs.role === 'presentation' || findTag(table.children, isLayoutTag) !== null

/** mdBook sets the class on the code in a `pre`, rustdoc on the element around it. */
function readCodeNote(element: Element): string | null {
  const near = [element, element.parent, ...element.children].filter((node) => node !== null && isTag(node))
  const classes = near.map(({ attribs }) => attribs.class).join(' ')
  return codeNotes.find(([form]) => form.test(classes))?.[1] ?? null
}
