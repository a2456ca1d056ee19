// Reads HTML with properly nested tags in one pass, without a tree: most generated pages. Supports optional tags of paragraphs and
// tables. Gives up at the first rare construct, or one that HTML's rules would repair. html-tree.ts then reads the page with parse5.
// tidy-html.test.ts compares the two.
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import {
  elements,
  endedBy,
  type HtmlVisitor,
  inLine,
  parents,
  rawEnds,
  type Traits,
  tableContent,
} from './html-tree.ts'

/** The tags that every page has once, in this order. `places` are between them. */
const frame = ['html', 'head', '/head', 'body', '/body', '/html']
const places = { start: 0, beforeHead: 1, head: 2, body: 4, afterBody: 5 }

/** Deeper pages are left to parse5. */
const maxDepth = 200

const [quote, apostrophe, slash, lessThan, equals, greaterThan] = [0x22, 0x27, 0x2f, 0x3c, 0x3d, 0x3e]
const lineEnd = 0x0a
const isSpace = (code: number) => code === 0x20 || code === lineEnd || code === 0x09 || code === 0x0c
const isUpper = (code: number) => code >= 0x41 && code <= 0x5a
const isLetter = (code: number) => (code >= 0x61 && code <= 0x7a) || isUpper(code)
/** Letters, digits and `-.:_` */
const isOfName = (code: number) =>
  isLetter(code) || (code >= 0x2d && code <= 0x3a && code !== slash) || code === 0x5f
/** Tags of SVG icons. */
const drawnTag =
  /<\/?(?:circle|defs|ellipse|g|line|mask|path|polygon|polyline|rect|stop|symbol|use)(?=[\s/>])(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/iy
const unquoted = /[^\s"'`=<>&]*/y
const isBlank = (text: string) => /^[ \t\n\f]*$/.test(text)

/**
 * Returns whether the page was read. If not, the visitor has received a part of it. `html` must not have carriage returns or
 * null characters. Time is linear in its length.
 */
export function visitTidyHtml(html: string, visitor: HtmlVisitor): boolean {
  const isXhtml = html.startsWith('<?xml')
  /** Name, traits, and whether a block ends a paragraph, of each open element, innermost last. */
  const names: string[] = []
  const open: Traits[] = []
  const inParagraph: boolean[] = []
  let current = ''
  let place = places.start
  let at = 0
  /** Text that the next tag or comment completes. */
  let pending = ''
  let dropsLineEnd = false
  /** Comments after the body, and after the page. Text there belongs to the body. */
  const lateComments: string[][] = [[], []]

  function push(name: string, element: Traits, attribs: Record<string, string>) {
    tellText()
    visitor.open(name, attribs)
    inParagraph.push(name === 'p' || (!element.isScope && inParagraph[open.length - 1] === true))
    open.push(element)
    names.push(name)
    current = name
  }

  function pop() {
    tellText()
    visitor.close()
    inParagraph.pop()
    open.pop()
    names.pop()
    current = names[names.length - 1] ?? ''
  }

  function popOpen(until: string) {
    while (current !== until && open[open.length - 1]?.mayStayOpen) pop()
  }

  function addText(text: string) {
    pending += dropsLineEnd && text.charCodeAt(0) === lineEnd ? text.slice(1) : text
    dropsLineEnd = false
  }

  function tellText() {
    if (pending !== '') visitor.text(pending)
    pending = ''
  }

  function readText(end: number): boolean {
    const source = html.slice(at, end)
    const text = source.includes('&') ? decodeHTML(source) : source
    at = end
    const isFree = place === places.body && !tableContent.has(current)
    if (!isFree && !isBlank(text)) return false
    if (place > places.beforeHead) addText(text)
    return true
  }

  /** Reads a comment, or a construct that counts as one before the page. */
  function readComment(): boolean {
    const isComment = html.startsWith('<!--', at)
    const start = at + (isComment ? 4 : 1)
    const end = html.indexOf(isComment ? '-->' : '>', start)
    const data = html.slice(start, end)
    if (end < 0 || (isComment ? /^-?>|--!>/.test(data) : place !== places.start)) return false
    at = end + (isComment ? 3 : 1)
    dropsLineEnd = false
    if (!isComment && !data.startsWith('?')) return /^!doctype[ \t\n\f]/i.test(data)
    if (place >= places.afterBody) lateComments[place - places.afterBody]!.push(data)
    else {
      tellText()
      visitor.comment(data)
    }
    return true
  }

  /** Reads a name. Returns '' if there is none. */
  function readName(): string {
    const start = at
    let hasUpper = false
    for (let code = html.charCodeAt(at); isOfName(code); code = html.charCodeAt(++at)) {
      hasUpper ||= isUpper(code)
    }
    const name = html.slice(start, at)
    return hasUpper ? name.toLowerCase() : name
  }

  /** Skips white space. Returns the code of the next character. */
  function skipSpace(): number {
    let code = html.charCodeAt(at)
    while (isSpace(code)) code = html.charCodeAt(++at)
    return code
  }

  /** Reads an attribute's value. Returns null if its syntax is unusual. */
  function readValue(): string | null {
    const mark = html.charCodeAt(at)
    let [start, end] = [at + 1, -1]
    if (mark === quote) end = html.indexOf('"', start)
    else if (mark === apostrophe) end = html.indexOf("'", start)
    else {
      start = unquoted.lastIndex = at
      unquoted.test(html)
      end = unquoted.lastIndex === start ? -1 : unquoted.lastIndex
    }
    if (end < 0) return null
    at = mark === quote || mark === apostrophe ? end + 1 : end
    const value = html.slice(start, end)
    return value.includes('&') ? decodeHTMLAttribute(value) : value
  }

  function readStartTag(): boolean {
    at += 1
    const name = readName()
    const attribs: Record<string, string> = {}
    for (;;) {
      const before = at
      const code = skipSpace()
      if (code === greaterThan || code === slash) break
      const attribute = at === before ? '' : readName()
      // Gives up: of repeated attributes, the first wins.
      if (attribute === '' || attribs[attribute] !== undefined) return false
      let value: string | null = ''
      if (html.charCodeAt(at) === equals) {
        at += 1
        value = readValue()
      }
      if (value === null) return false
      attribs[attribute] = value
    }
    const isEmpty = html.charCodeAt(at) === slash
    if (isEmpty) at += 1
    if (html.charCodeAt(at) !== greaterThan) return false
    at += 1
    return start(name, attribs, isEmpty && (isXhtml || name === 'svg'))
  }

  /** Opens an element. `isEmpty`: it ends at once, as in XHTML. */
  function start(name: string, attribs: Record<string, string>, isEmpty: boolean): boolean {
    dropsLineEnd = false
    const element = elements.get(name) ?? inLine
    if (name === frame[place]) {
      place += 1
      push(name, element, attribs)
      return !isEmpty
    }
    if (element.isOther || open.length >= maxDepth || !makeRoom(name, element)) return false
    push(name, element, attribs)
    if (element.isVoid || isEmpty) pop()
    else if (element.isRaw) return readRaw(name, element)
    else if (name === 'svg') return skipDrawing()
    else dropsLineEnd = element.dropsLineEnd
    return true
  }

  /** Ends elements that the start of this one ends. Returns false if it is not allowed here, or needs special rules. */
  function makeRoom(name: string, element: Traits): boolean {
    if (place === places.head) return element.mayBeInHead
    if (place !== places.body) return false
    if (element.isTablePart || tableContent.has(current)) return makeRoomInTable(name)
    // Elsewhere, an item may end an open one.
    const list = current === 'div' && name !== 'li' ? names[names.length - 2]! : current
    if (parents.get(name)?.has(list) === false) return false
    if (element.endsParagraph && inParagraph[open.length - 1]) {
      // In quirks mode, a table does not end a paragraph.
      if (current !== 'p' || name === 'table') return false
      pop()
    }
    if (element.isHeading && open[open.length - 1]!.isHeading) return false
    return !element.isSingle || !names.includes(name)
  }

  function makeRoomInTable(name: string): boolean {
    popOpen(name)
    while (!tableContent.get(current)?.has(name)) {
      if (current === 'table' && name === 'tr') push('tbody', elements.get('tbody')!, {})
      else if (current === 'table' && name === 'col') push('colgroup', elements.get('colgroup')!, {})
      else if (endedBy.get(current)?.has(name)) pop()
      else return false
    }
    return true
  }

  function readRaw(name: string, element: Traits): boolean {
    const rawEnd = rawEnds.get(name)!
    rawEnd.lastIndex = at
    const end = rawEnd.exec(html)?.index
    if (end === undefined) return false
    const text = html.slice(at, end)
    // In a script, `<!--` may hide the end tag.
    if (name === 'script' && text.includes('<!--')) return false
    dropsLineEnd = element.dropsLineEnd
    addText(element.hasReferences && text.includes('&') ? decodeHTML(text) : text)
    at = end
    return readEndTag()
  }

  /** Skips the content of an SVG. */
  function skipDrawing(): boolean {
    for (;;) {
      at = html.indexOf('<', at)
      if (at < 0) return false
      drawnTag.lastIndex = at
      if (!drawnTag.test(html)) return html.startsWith('</svg', at) && readEndTag()
      at = drawnTag.lastIndex
    }
  }

  function readEndTag(): boolean {
    at += 2
    const name = readName()
    if (skipSpace() !== greaterThan) return false
    at += 1
    dropsLineEnd = false
    // An end tag without a paragraph makes an empty one, as of a paragraph that a block in it has ended.
    if (name === 'p' && !inParagraph[open.length - 1] && !start(name, {}, false)) return false
    if (elements.get(name)?.endsOpen) popOpen(name)
    if (name === 'table') while (endedBy.has(current)) pop()
    if (frame[place] === `/${name}`) {
      place += 1
      if (name === 'head') pop()
      return name !== 'body' || current === name
    }
    if (current !== name || place >= places.afterBody || name === 'body') return false
    pop()
    return true
  }

  function readMarkup(): boolean {
    const next = html.charCodeAt(at + 1)
    if (isLetter(next)) return readStartTag()
    return next === slash && isLetter(html.charCodeAt(at + 2)) ? readEndTag() : readComment()
  }

  while (at < html.length) {
    const isMarkup = html.charCodeAt(at) === lessThan
    const end = isMarkup ? at : html.indexOf('<', at)
    if (!(isMarkup ? readMarkup() : readText(end < 0 ? html.length : end))) return false
  }
  if (place < places.body) return false
  while (open.length > 1) pop()
  for (const data of lateComments[0]!) visitor.comment(data)
  pop()
  for (const data of lateComments[1]!) visitor.comment(data)
  return true
}
