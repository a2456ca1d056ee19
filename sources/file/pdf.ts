// PDF files: sections by the size of their headings, each on its page, without running titles.
import { getDocumentProxy } from 'unpdf'
import { collapse, createOutline, type Outline } from '../../crawler/extract/outline.ts'
import {
  createLimits,
  type ExtractedPage,
  fileName,
  isText,
  type Section,
  textPage,
} from '../../crawler/extract/page.ts'
import { BadFile } from './formats.ts'

const maxPages = 5_000
/** Milliseconds for all pages. The rest is omitted. */
const timeout = 40_000
/** Maximum characters of all pages. */
const maxText = 20_000_000

interface Line {
  text: string
  size: number
  isCode: boolean
  /** Distance from the bottom of the page. */
  y: number
}

interface PdfText {
  title: string | null
  language: string | null
  /** Lines by page. A page that cannot be read is empty. */
  pages: Line[][]
  isCut: boolean
}

/** Throws BadFile. */
async function readPdf(body: Uint8Array): Promise<PdfText> {
  const document = await open(body)
  try {
    const { title, language } = await readNames(document)
    const pages: Line[][] = []
    const end = performance.now() + timeout
    let length = 0
    const count = Math.min(document.numPages, maxPages)
    while (pages.length < count && performance.now() < end && length < maxText) {
      const lines = await readLines(document, pages.length + 1).catch(() => [])
      for (const { text } of lines) length += text.length
      pages.push(lines)
    }
    return { title, language, pages, isCut: pages.length < document.numPages }
  } finally {
    await document.loadingTask.destroy()
  }
}

type Document = Awaited<ReturnType<typeof getDocumentProxy>>

async function open(body: Uint8Array): Promise<Document> {
  try {
    return await getDocumentProxy(new Uint8Array(body), {
      // Never runs, draws or fetches anything from the file.
      ...{ isEvalSupported: false, disableFontFace: true, useSystemFonts: false, enableXfa: false },
      ...{ disableAutoFetch: true, disableStream: true, maxImageSize: 1, verbosity: 0 },
    })
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    throw new BadFile(isLocked ? 'is encrypted: it needs a password' : 'is no PDF that can be read')
  }
}

async function readNames(document: Document): Promise<Pick<PdfText, 'title' | 'language'>> {
  const info = await document.getMetadata().then(
    (metadata) => metadata.info as Record<string, unknown>,
    () => ({}) as Record<string, unknown>,
  )
  const read = (name: string) => (typeof info[name] === 'string' ? info[name].trim() : '')
  const title = read('Title')
  const language = read('Language')
  return {
    // Some programs write a file name as the title.
    title: title === '' || /^untitled|\\|\.\w{2,4}$/i.test(title) ? null : title,
    language: /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(language) ? language.toLowerCase() : null,
  }
}

async function readLines(document: Document, number: number): Promise<Line[]> {
  const page = await document.getPage(number)
  const { items, styles } = await page.getTextContent()
  const lines: Line[] = []
  let line: Line | null = null
  for (const item of items) {
    if (!('str' in item)) continue
    const [, , , , , y] = item.transform as number[]
    // A line may have letters at another height: subscripts, footnote numbers.
    if (line !== null && Math.abs(line.y - y!) > Math.max(line.size, item.height) / 2) line = null
    if (line === null) {
      line = { text: '', size: 0, isCode: true, y: y! }
      lines.push(line)
    }
    line.text += item.str.replaceAll('\0', '')
    if (item.str.trim() !== '') {
      line.size = Math.max(line.size, item.height)
      line.isCode &&= styles[item.fontName]?.fontFamily === 'monospace'
    }
    if (item.hasEOL) line = null
  }
  page.cleanup()
  return lines.filter(({ text }) => text.trim() !== '')
}

/** Minimum ratio of a heading's letter size to that of most text. */
const headingRatio = 1.15
const maxLevel = 6
/** Lines farther apart than this multiple of their size belong to two paragraphs. */
const paragraphGap = 1.6
/** Dots between a heading and its page number in a table of contents, which is omitted. */
const leaders = /(?:\. ?){5,}[\divxlc]*$/
/** Permalink sign at the end of headings in printed web pages. */
const permalink = / ?[¶\u{e000}-\u{f8ff}]$/u
const bullet = /^[•◦▪‣●○■]\s*/
/** Minimum share of pages with the same line at the edge for a running title. */
const runningShare = 0.03
const minRunning = 3
/** Maximum characters of a running title. */
const maxRunning = 120

/** Throws BadFile. */
export async function extractPdf(body: Uint8Array, url: string): Promise<ExtractedPage> {
  const { title, language, pages, isCut } = await readPdf(body)
  if (pages.every((lines) => lines.length === 0)) {
    throw new BadFile('has no text: its pages may be pictures, which are not read')
  }
  const limits = createLimits(pages.flat().reduce((sum, { text }) => sum + text.length, 0))
  const levels = readLevels(pages)
  const running = createRunning(pages)
  const outline = createOutline(limits, () => false)
  let open = { level: maxLevel + 1, heading: '' }
  for (const [at, lines] of pages.entries()) {
    const seen = lines.filter((line) => !running.has(line) && !leaders.test(line.text.trimEnd()))
    let count = 0
    for (const { level, lines: group } of toGroups(seen, levels)) {
      const text = collapse(group.map((line) => line.text).join(' ')).replace(permalink, '')
      const isHeading = level !== null && !isText(text)
      if (isHeading) open = { level, heading: text }
      // Text that continues on the next page becomes another section with the same heading.
      if (isHeading || count === 0) {
        count += 1
        outline.heading(open.level, open.heading, `page-${at + 1}${count === 1 ? '' : `-${count}`}`)
      }
      if (!isHeading) addBlock(outline, group)
    }
  }
  const sections = outline.finish().map((section) => ({ ...section, place: { page: readPage(section) } }))
  if (isCut) limits.cut.add('sections')
  return { ...textPage(title ?? largestLine(pages, levels) ?? fileName(url), sections, limits), language }
}

/** The text in the largest letters on the first page with headings. */
function largestLine(pages: Line[][], levels: Map<number, number>): string | null {
  const toLevel = ({ size }: Line) => levels.get(rounded(size)) ?? maxLevel + 1
  const lines = pages.find((page) => page.some((line) => toLevel(line) <= maxLevel)) ?? []
  const [first] = lines.toSorted((a, b) => toLevel(a) - toLevel(b))
  return first ? collapse(first.text) : null
}

const rounded = (size: number) => Math.round(2 * size) / 2

/** `page-7-2` → 7 */
const readPage = ({ anchor }: Section) => Number(anchor!.split('-')[1])

/** Letter size → heading level, 1 for the largest. */
function readLevels(pages: Line[][]): Map<number, number> {
  const letters = new Map<number, number>()
  for (const { size, text } of pages.flat())
    letters.set(rounded(size), (letters.get(rounded(size)) ?? 0) + text.length)
  const [body = 0] = [...letters].reduce((most, each) => (each[1] > most[1] ? each : most), [0, 0])
  const sizes = [...letters.keys()].filter((size) => size >= headingRatio * body).sort((a, b) => b - a)
  return new Map(sizes.map((size, at) => [size, Math.min(at + 1, maxLevel)]))
}

/** Detects running titles: lines that repeat at the edge of many pages except for numbers, and lines with the page number. */
function createRunning(pages: Line[][]) {
  const toPattern = ({ text }: Line) => collapse(text.replace(/\d+|\b[ivxlc]+\b/g, '#'))
  const running = new Set<Line>()
  const edges = pages.map(findEdges)
  const counts = countPages(edges.map((lines) => lines.map(toPattern)))
  const least = Math.max(minRunning, runningShare * pages.length)
  const offset = readOffset(edges)
  for (const [at, lines] of edges.entries()) {
    for (const line of lines) {
      const name = toPattern(line)
      if (name === '#' || counts.get(name)! >= least || readOffsets(line, at).includes(offset))
        running.add(line)
    }
  }
  return running
}

/** The first and the last number of a short line, each minus the number of its page. */
function readOffsets({ text }: Line, at: number): number[] {
  if (text.length > maxRunning) return []
  return (text.trim().match(/^\d{1,6}\b|\b\d{1,6}$/g) ?? []).map((number) => Number(number) - at)
}

/** Difference between printed page numbers and page positions, if most pages print one at their edge; otherwise NaN. */
function readOffset(edges: Line[][]): number {
  const counts = countPages(edges.map((lines, at) => lines.flatMap((line) => readOffsets(line, at))))
  const least = Math.max(minRunning, edges.length / 2)
  return [...counts].find(([, count]) => count >= least)?.[0] ?? Number.NaN
}

/** Value → number of pages that have it. */
function countPages<Value>(pages: Value[][]): Map<Value, number> {
  const counts = new Map<Value, number>()
  for (const value of pages.flatMap((values) => [...new Set(values)]))
    counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** The highest and the lowest lines. A page may draw them in any order. */
function findEdges(lines: Line[]): Line[] {
  const heights = lines.map(({ y }) => y)
  const [low, high] = [Math.min(...heights), Math.max(...heights)]
  return lines.filter(({ y, size }) => y - low < size / 2 || high - y < size / 2)
}

interface LineGroup {
  level: number | null
  lines: Line[]
}

/** Groups lines: each group is a paragraph, a heading, or a code block. */
function toGroups(lines: Line[], levels: Map<number, number>): LineGroup[] {
  const groups: LineGroup[] = []
  for (const line of lines) {
    const level = levels.get(rounded(line.size)) ?? null
    const open = groups.at(-1)
    const before = open?.lines.at(-1)
    if (bullet.test(line.text.trimStart())) groups.push({ level: null, lines: [line] })
    else if (open && before && open.level === level && before.isCode === line.isCode && goesOn(before, line))
      open.lines.push(line)
    else groups.push({ level, lines: [line] })
  }
  return groups
}

function goesOn(before: Line, line: Line): boolean {
  const gap = before.y - line.y
  return gap > 0 && gap <= paragraphGap * Math.max(before.size, line.size)
}

function addBlock(outline: Outline, lines: Line[]) {
  const text = lines.reduce((joined, line) => {
    const next = line.text.trim()
    // Joins a word that was hyphenated at the line end.
    if (/\p{Ll}-$/u.test(joined) && /^\p{Ll}/u.test(next)) return joined.slice(0, -1) + next
    return joined === '' ? next : `${joined} ${next}`
  }, '')
  if (lines[0]!.isCode) outline.code(lines.map((line) => line.text.trimEnd()).join('\n'))
  else if (bullet.test(text)) {
    outline.within('list', () => {
      outline.startItem()
      outline.text(text.replace(bullet, ''))
    })
  } else outline.note(collapse(text))
}
