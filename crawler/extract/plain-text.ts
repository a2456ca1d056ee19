// Reads text without HTML: text/plain, and manual pages that were formatted for a terminal.
import { collapse, createOutline, type Outline } from './outline.ts'
import { createLimits, type ExtractedPage, fileName, textPage } from './page.ts'

/** One section with paragraphs separated by empty lines, or a manual page. The title is the file's name. Never throws. */
export function extractPlainText(text: string, url: string): ExtractedPage {
  const limits = createLimits(text.length)
  const outline = createOutline(limits, () => false)
  const normal = text.toWellFormed().replaceAll('\0', '').replaceAll('\r\n', '\n')
  for (const paragraph of tellManualPage(normal, outline) ? [] : normal.split(/\n\s*\n/)) {
    outline.text(paragraph)
    outline.endText()
  }
  return textPage(fileName(url), outline.finish(), limits)
}

/** The line at the top: `ls(1)   User Commands   LS(1)`. */
const titleLine = /^(\S+\([0-9n]\w*\))(?: .*)? \1 *$/i
const maxTitleLength = 300
const maxHeadingLength = 80

/**
 * Tells the outline a manual page's headings, which are not indented, and its paragraphs and options. Lines that are indented in
 * another way are code. Returns false if the text is no manual page.
 */
export function tellManualPage(text: string, outline: Outline): boolean {
  const [first = '', ...lines] = text.split('\n')
  const title = titleLine.exec(first.slice(0, maxTitleLength))?.[1]?.toLowerCase()
  if (title === undefined) return false
  // The last line repeats the first.
  if (lines.at(-1)?.toLowerCase().endsWith(title)) lines.pop()
  outline.heading(1, title, null)
  let chunk: string[] = []
  /** Indentation of the first text below a heading, and all indentations of text. */
  let outer = 0
  const known = new Set<number>()
  const endChunk = () => {
    const [start = '', ...rest] = chunk
    const at = readIndentation(start)
    const below = rest[0] === undefined ? at : readIndentation(rest[0])
    const isText = known.has(at) && rest.every((line) => readIndentation(line) === below)
    if (isText) known.add(below)
    if (isText && chunk.length > 0) outline.note(collapse(chunk.join(' ')))
    else if (chunk.length > 0) outline.code(chunk.map((line) => line.slice(outer)).join('\n'))
    chunk = []
  }
  for (const line of [...lines, '']) {
    const at = readIndentation(line)
    if (line.trim() === '') endChunk()
    else if (at > 0 || line.length > maxHeadingLength) {
      outer ||= at
      known.add(outer)
      chunk.push(line)
    } else {
      endChunk()
      outer = 0
      outline.heading(2, line.trim(), null)
    }
  }
  return true
}

const readIndentation = (line: string): number => line.length - line.trimStart().length
