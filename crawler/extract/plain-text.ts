// Extraction of text/plain and of Markdown served as such: the same page type from `#` headings, fences and paragraphs.
import { createOutline, type Outline } from './outline.ts'
import { createLimits, type ExtractedPage, fileName, type Limits, textPage } from './page.ts'

// Lines are cut at \n alone: with the flag `s` a rest holds whatever stands in a line, so that none is tried twice.
const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/s
const closingMarks = /[ \t]#+$/
const fence = /^ {0,3}(`{3,}|~{3,})/
const item = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/s
const tableRow = /^\s*\|(.*)\|\s*$/s
const tableRule = /^[\s|:-]+$/

function toPage(outline: Outline, limits: Limits, givenTitle: string): ExtractedPage {
  const sections = outline.finish()
  return textPage(givenTitle || sections[0]?.heading || '', sections, limits)
}

function normalize(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').replaceAll('\r\n', '\n')
}

/** text/plain: paragraphs parted by empty lines, one section; the title is the file's name. Never throws. */
export function extractPlainText(text: string, url: string): ExtractedPage {
  const limits = createLimits(text.length)
  const outline = createOutline(limits, () => false)
  for (const paragraph of normalize(text).split(/\n\s*\n/)) {
    outline.text(paragraph)
    outline.endText()
  }
  return toPage(outline, limits, fileName(url))
}

/**
 * text/markdown: sections from `#` headings (anchors are the renderer's business: none), fenced code verbatim, lists
 * and tables. The first `#` heading of level 1 is the title, else the file's name. Never throws.
 */
export function extractMarkdown(text: string, url: string): ExtractedPage {
  let title = ''
  const limits = createLimits(text.length)
  const outline = createOutline(limits, (level, text) => {
    if (level !== 1 || title !== '') return false
    title = text
    return true
  })
  const lines = normalize(text).split('\n')
  let group: 'list' | 'table' | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const fenced = fence.exec(line)?.[1]
    const head = heading.exec(line)
    const listed = item.exec(line)?.[1]
    const cells = tableRow.exec(line)?.[1]
    const kind = listed !== undefined ? 'list' : cells !== undefined ? 'table' : null
    if (kind !== null && kind !== group) outline.startGroup()
    group = kind
    if (fenced !== undefined) {
      const start = at + 1
      do at++
      while (at < lines.length && !lines[at]!.trimStart().startsWith(fenced))
      outline.code(lines.slice(start, at).join('\n'))
    } else if (head) {
      outline.heading(head[1]!.length, head[2]!.trim().replace(closingMarks, '').trim(), null)
    } else if (listed !== undefined) {
      outline.within('list', () => {
        outline.startItem()
        outline.text(listed)
      })
    } else if (cells !== undefined) readRow(cells, outline)
    else if (line.trim() === '') outline.endText()
    else outline.text(`${line}\n`)
  }
  return toPage(outline, limits, title || fileName(url))
}

function readRow(cells: string, outline: Outline): void {
  if (tableRule.test(cells)) return
  for (const cell of cells.split('|')) {
    outline.within('cell', () => outline.text(cell))
    outline.endCell()
  }
  outline.endRow()
}
