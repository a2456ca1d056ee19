// Reads the text of elements: on one line, as code, and the number of a note.
import { type ChildNode, type Element, isTag, isText } from 'domhandler'
import { collapse } from './outline.ts'
import type { ClassSet } from './visible.ts'

/** Elements that end a line inside `pre`: generators put each line of code into one. */
const lines = new Set(['div', 'li', 'tr', 'p'])
const permalinkText = /^[\s¶#§🔗↑]*$/u

/** `line`: without permalink signs and line breaks. `pre`: verbatim. `flow`: white space collapses, as in a browser. */
type Mode = 'line' | 'pre' | 'flow'

function read(nodes: readonly ChildNode[], dropped: ClassSet, mode: Mode): string {
  let text = ''
  for (const node of nodes) {
    if (isText(node)) text += mode === 'flow' ? node.data.replace(/[ \t\r\n\f]+/gu, ' ') : node.data
    else if (isTag(node) && !isOf(dropped, node)) {
      const inner = node.name === 'br' ? '\n' : read(node.children, dropped, mode)
      if (mode === 'line' && isSign(node, inner)) continue
      const isLine = lines.has(node.name)
      text +=
        isLine && mode === 'line' ? ` ${inner} ` : isLine && !inner.endsWith('\n') ? `${inner}\n` : inner
    }
  }
  return text
}

/** Whether a link is a permalink or the reference to a note. */
const isSign = (node: Element, text: string): boolean =>
  node.name === 'a' &&
  node.attribs.href?.startsWith('#') === true &&
  (permalinkText.test(text) || isNoteReference(node))

const noteNumber = /^\s*[[(]?(?:\d{1,3}|[*†‡§¶]{1,3})[\])]?\s*$/u

/** Whether the link is a reference to a note: a superscript link within the page. */
export function isNoteReference(link: Element): boolean {
  if (link.attribs.href?.startsWith('#') !== true) return false
  const isRaised = [link.parent, ...link.children].some((node) => node && isTag(node) && node.name === 'sup')
  return isRaised && noteNumber.test(readText(link))
}

/** Whether the heading is only the number of a note, with a link back to its reference. */
export function isNoteNumber(heading: Element): boolean {
  return heading.children.some(isBackLink) && noteNumber.test(readText(heading))
}

export function isBackLink(node: ChildNode): boolean {
  if (!isTag(node) || node.name !== 'a') return false
  const { href, id, name } = node.attribs
  return href?.startsWith('#') === true && (id ?? name) !== undefined && href !== `#${id ?? name}`
}

export function readText(element: Element): string {
  return element.children
    .map((child) => (isText(child) ? child.data : isTag(child) ? readText(child) : ''))
    .join('')
}

export const isOf = (classes: ClassSet, { attribs }: Element): boolean =>
  attribs.class !== undefined && classes.match(attribs.class)

/** Text on one line, without permalink signs and elements in `dropped`. */
export const lineText = (nodes: readonly ChildNode[], dropped: ClassSet): string =>
  collapse(read(nodes, dropped, 'line'))

/** The first of the elements, and of those in them, that meets a condition. Looks no further. */
export function findTag(nodes: readonly ChildNode[], meets: (element: Element) => boolean): Element | null {
  for (const node of nodes.filter(isTag)) {
    const found = meets(node) ? node : findTag(node.children, meets)
    if (found) return found
  }
  return null
}

export const headingTag = /^h[1-6]$/
export const isLayoutTag = ({ name }: Element): boolean => name === 'table' || headingTag.test(name)

/** The alternative text of the first image that has one, or ''. */
export function imageText({ children }: Element): string {
  const image = findTag(children, ({ name, attribs }) => name === 'img' && /\S/u.test(attribs.alt ?? ''))
  return collapse(image?.attribs.alt ?? '')
}

const emptyLines = /^(?:[^\S\n]*\n)+/

/**
 * Code without leading and trailing empty lines. `element`: a `pre`, an element with a `div` for each line, or one that ends
 * lines with `br` and indents them with no-break spaces. In the last, other white space collapses as in a browser.
 */
export function codeText({ name, children }: Element, dropped: ClassSet): string {
  const hasRows = name !== 'pre' && children.some((child) => isTag(child) && child.name === 'div')
  const inPre = name === 'pre' || hasRows
  const nodes = children.filter((child) => !hasRows || !isText(child) || child.data.trim() !== '')
  const shown = read(nodes, dropped, inPre ? 'pre' : 'flow')
  const code = inPre
    ? shown.replaceAll('\r\n', '\n')
    : shown.replace(/[ \n]+/gu, (run) => run.replaceAll(' ', '') || ' ').replaceAll('\u00a0', ' ')
  const text = code.replace(emptyLines, '')
  const end = text.indexOf('\n', text.trimEnd().length)
  return end < 0 ? text : text.slice(0, end)
}
