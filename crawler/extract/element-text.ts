// Reads the text of elements: on one line, as code, and the number of a note.
import { type AnyNode, type ChildNode, type Element, isTag, isText } from 'domhandler'
import { collapse } from './outline.ts'
import type { ClassSet } from './visible.ts'

/** Elements that end a line inside `pre`: generators put each line of code into one. */
const lines = new Set(['div', 'li', 'tr', 'p'])
const permalinkText = /^[\s¶#§🔗]*$/u

function rawText(nodes: readonly ChildNode[], dropped: ClassSet): string {
  let text = ''
  for (const node of nodes) {
    if (isText(node)) text += node.data
    else if (isTag(node) && !isLeftOut(node, dropped)) {
      if (node.name === 'br') text += ' '
      else if (node.name === 'a' && node.attribs.href?.startsWith('#')) {
        const label = rawText(node.children, dropped)
        if (!permalinkText.test(label) && !isNoteReference(node)) text += label
      } else {
        const gap = lines.has(node.name) ? ' ' : ''
        text += gap + rawText(node.children, dropped) + gap
      }
    }
  }
  return text
}

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

function isBackLink(node: ChildNode): boolean {
  if (!isTag(node) || node.name !== 'a') return false
  const { href, id, name } = node.attribs
  return href?.startsWith('#') === true && (id ?? name) !== undefined && href !== `#${id ?? name}`
}

export function readText(element: Element): string {
  return element.children
    .map((child) => (isText(child) ? child.data : isTag(child) ? readText(child) : ''))
    .join('')
}

export const isLeftOut = (node: AnyNode, dropped: ClassSet): boolean =>
  isTag(node) && node.attribs.class !== undefined && dropped.match(node.attribs.class)

/** Text on one line, without permalink signs and elements in `dropped`. */
export const lineText = (nodes: readonly ChildNode[], dropped: ClassSet): string =>
  collapse(rawText(nodes, dropped))

/** The alternative text of the first image that has one, or ''. */
export function imageText(node: Element): string {
  for (const child of node.children) {
    if (!isTag(child)) continue
    const text = child.name === 'img' ? collapse(child.attribs.alt ?? '') : imageText(child)
    if (text !== '') return text
  }
  return ''
}

function verbatim(nodes: readonly ChildNode[], dropped: ClassSet, inPre: boolean): string {
  let text = ''
  for (const node of nodes) {
    if (isText(node)) text += inPre ? node.data : node.data.replace(/[ \t\r\n\f]+/gu, ' ')
    else if (isTag(node) && !isLeftOut(node, dropped)) {
      if (node.name === 'br') text += '\n'
      else {
        const inner = verbatim(node.children, dropped, inPre)
        text += inner
        if (lines.has(node.name) && !inner.endsWith('\n')) text += '\n'
      }
    }
  }
  return text
}

const emptyLines = /^(?:[^\S\n]*\n)+/

/**
 * Code without leading and trailing empty lines. `element`: a `pre`, or an element that ends lines with `br` and indents them
 * with no-break spaces. In the latter, other white space collapses as in a browser.
 */
export function codeText(element: Element, dropped: ClassSet): string {
  const inPre = element.name === 'pre'
  const shown = verbatim(element.children, dropped, inPre)
  const code = inPre
    ? shown.replaceAll('\r\n', '\n')
    : shown.replace(/[ \n]+/gu, (run) => run.replaceAll(' ', '') || ' ').replaceAll('\u00a0', ' ')
  const text = code.replace(emptyLines, '')
  const end = text.indexOf('\n', text.trimEnd().length)
  return end < 0 ? text : text.slice(0, end)
}

/** Code whose child elements are its lines. */
export const codeLines = (element: Element, dropped: ClassSet): string =>
  verbatim(element.children.filter(isTag), dropped, true)
    .replaceAll('\u00a0', ' ')
    .replace(emptyLines, '')
    .trimEnd()
