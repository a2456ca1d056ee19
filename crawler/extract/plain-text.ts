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
  for (let at = 0; at < lines.length; at++) at = readBlock(lines, at, outline)
  return toPage(outline, limits, title || fileName(url))
}

/** Reads what starts at a line and returns the last line read. */
function readBlock(lines: string[], start: number, outline: Outline): number {
  const line = lines[start]!
  const fenced = fence.exec(line)?.[1]
  if (fenced !== undefined) {
    let end = start + 1
    while (end < lines.length && !lines[end]!.trimStart().startsWith(fenced)) end++
    outline.code(lines.slice(start + 1, end).join('\n'))
    return end
  }
  const head = heading.exec(line)
  if (head) outline.heading(head[1]!.length, head[2]!.trim().replace(closingMarks, '').trim(), null)
  else if (item.test(line)) return readGroup(lines, start, item, () => readItems(lines, start, outline))
  else if (tableRow.test(line))
    return readGroup(lines, start, tableRow, () => readRows(lines, start, outline))
  else if (line.trim() === '') outline.endText()
  else outline.text(`${line}\n`)
  return start
}

function readGroup(lines: string[], start: number, line: RegExp, read: () => void): number {
  read()
  let end = start
  while (end + 1 < lines.length && line.test(lines[end + 1]!)) end++
  return end
}

function readItems(lines: string[], start: number, outline: Outline): void {
  outline.startGroup()
  outline.within('list', () => {
    for (let at = start; at < lines.length; at++) {
      const text = item.exec(lines[at]!)?.[1]
      if (text === undefined) return
      outline.startItem()
      outline.text(text)
    }
  })
}

function readRows(lines: string[], start: number, outline: Outline): void {
  outline.startGroup()
  for (let at = start; at < lines.length; at++) {
    const cells = tableRow.exec(lines[at]!)?.[1]
    if (cells === undefined) return
    if (tableRule.test(cells)) continue
    for (const cell of cells.split('|')) {
      outline.within('cell', () => outline.text(cell))
      outline.endCell()
    }
    outline.endRow()
  }
}
