// PDF files: sections by the size of their headings, each on its page; what stands on every page is left out.
import { collapse } from '../../crawler/extract/outline.ts'
import type { Block, ExtractedPage, Section } from '../../crawler/extract/page.ts'
import {
  createLimits,
  fileName,
  isText,
  type Limits,
  limitPath,
  textPage,
} from '../../crawler/extract/page.ts'
import { BadFile } from './bad-file.ts'
import { type Line, readPdf } from './pdf-lines.ts'

/** A heading's letters are so much larger than those of most text. */
const headingRatio = 1.15
const maxLevel = 6
/** Lines between which there is so much more room than their size are of two paragraphs. */
const paragraphGap = 1.6
/** Dots that lead from a heading to its page: a line of a table of contents, which says nothing of its own. */
const leaders = /(?:\. ?){5,}[\divxlc]*$/
/** What printed pages of the web have at the end of their headings. */
const permalink = / ?[¶\u{e000}-\u{f8ff}]$/u
const bullet = /^[•◦▪‣●○■]\s*/
/** A line at the edge of so many pages is a running title. */
const runningShare = 0.03
const minRunning = 3
/** Characters of a running title. */
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
  const outline = createPageOutline(limits)
  for (const [at, lines] of pages.entries()) {
    outline.page(at + 1)
    const seen = lines.filter((line) => !running.has(line) && !leaders.test(line.text.trimEnd()))
    for (const { level, lines: group } of toGroups(seen, levels)) {
      const text = collapse(group.map((line) => line.text).join(' ')).replace(permalink, '')
      if (level !== null && !isText(text)) outline.heading(level, text)
      else outline.block(toBlock(group))
    }
  }
  const sections = outline.finish()
  if (isCut) limits.cut.add('sections')
  return { ...textPage(title ?? largestLine(pages, levels) ?? fileName(url), sections, limits), language }
}

/** What the first page with headings says in the largest letters. */
function largestLine(pages: Line[][], levels: Map<number, number>): string | null {
  const levelOf = ({ size }: Line) => levels.get(rounded(size)) ?? maxLevel + 1
  const lines = pages.find((page) => page.some((line) => levelOf(line) <= maxLevel)) ?? []
  const [first] = lines.toSorted((a, b) => levelOf(a) - levelOf(b))
  return first ? collapse(first.text) : null
}

const rounded = (size: number) => Math.round(2 * size) / 2

/** Levels of headings by the size of their letters: 1 for the largest. */
function readLevels(pages: Line[][]): Map<number, number> {
  const letters = new Map<number, number>()
  for (const { size, text } of pages.flat())
    letters.set(rounded(size), (letters.get(rounded(size)) ?? 0) + text.length)
  const [body = 0] = [...letters].reduce((most, each) => (each[1] > most[1] ? each : most), [0, 0])
  const sizes = [...letters.keys()].filter((size) => size >= headingRatio * body).sort((a, b) => b - a)
  return new Map(sizes.map((size, at) => [size, Math.min(at + 1, maxLevel)]))
}

/** Whether a line stands at the edge of many pages, whatever number is in it, or tells the number of its page. */
function createRunning(pages: Line[][]) {
  const nameOf = ({ text }: Line) => collapse(text.replace(/\d+|\b[ivxlc]+\b/g, '#'))
  const running = new Set<Line>()
  const edges = pages.map(edgesOf)
  const counts = new Map<string, number>()
  for (const lines of edges)
    for (const name of new Set(lines.map(nameOf))) counts.set(name, (counts.get(name) ?? 0) + 1)
  const least = Math.max(minRunning, runningShare * pages.length)
  const offset = readOffset(edges)
  for (const [at, lines] of edges.entries()) {
    for (const line of lines) {
      const name = nameOf(line)
      if (name === '#' || counts.get(name)! >= least || offsetsOf(line, at).includes(offset))
        running.add(line)
    }
  }
  return running
}

/** What the numbers that a line begins or ends with are more than those of its page; none where it is long. */
function offsetsOf({ text }: Line, at: number): number[] {
  if (text.length > maxRunning) return []
  return (text.trim().match(/^\d{1,6}\b|\b\d{1,6}$/g) ?? []).map((number) => Number(number) - at)
}

/** What the printed number of a page is more than its place, where most pages print one at their edge: NaN where they do not. */
function readOffset(edges: Line[][]): number {
  const counts = new Map<number, number>()
  for (const [at, lines] of edges.entries())
    for (const offset of new Set(lines.flatMap((line) => offsetsOf(line, at))))
      counts.set(offset, (counts.get(offset) ?? 0) + 1)
  const least = Math.max(minRunning, edges.length / 2)
  return [...counts].find(([, count]) => count >= least)?.[0] ?? Number.NaN
}

/** The highest and the lowest lines: they may be drawn at any time. */
function edgesOf(lines: Line[]): Line[] {
  const heights = lines.map(({ y }) => y)
  const [low, high] = [Math.min(...heights), Math.max(...heights)]
  return lines.filter(({ y, size }) => y - low < size / 2 || high - y < size / 2)
}

interface Group {
  level: number | null
  lines: Line[]
}

/** Lines that belong together: of one paragraph, one heading, or one piece of code. */
function toGroups(lines: Line[], levels: Map<number, number>): Group[] {
  const groups: Group[] = []
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

function toBlock(lines: Line[]): Block {
  if (lines[0]!.isCode) return { kind: 'code', text: lines.map(({ text }) => text.trimEnd()).join('\n') }
  const text = lines.reduce((joined, line) => {
    const next = line.text.trim()
    // A word that was parted at the end of its line.
    if (/\p{Ll}-$/u.test(joined) && /^\p{Ll}/u.test(next)) return joined.slice(0, -1) + next
    return joined === '' ? next : `${joined} ${next}`
  }, '')
  return bullet.test(text)
    ? { kind: 'list', text: `- ${collapse(text.replace(bullet, ''))}` }
    : { kind: 'paragraph', text: collapse(text) }
}

/** Sections by page: what goes on over the end of one is a section of the same heading on the next. */
function createPageOutline(limits: Limits) {
  const sections: Section[] = []
  let path: { level: number; heading: string }[] = []
  let number = 0
  let ofPage = 0
  let current: Section | null = null

  function open(heading: string, above: string[]): Section {
    ofPage += 1
    const anchor = limits.anchor(ofPage === 1 ? `page-${number}` : `page-${number}-${ofPage}`)
    current = {
      kind: 'heading',
      anchor,
      heading,
      path: limitPath(above),
      blocks: [],
      place: { page: number },
    }
    sections.push(current)
    return current
  }
  const headings = () => path.map(({ heading }) => heading)

  return {
    page(next: number) {
      number = next
      ofPage = 0
      current = null
    },
    heading(level: number, heading: string) {
      path = path.filter((above) => above.level < level)
      open(heading, headings())
      path.push({ level, heading })
    },
    block(block: Block) {
      const section = current ?? open(path.at(-1)?.heading ?? '', headings().slice(0, -1))
      const last = section.blocks.at(-1)
      if (block.kind === 'list' && last?.kind === 'list') last.text += `\n${block.text}`
      else section.blocks.push(block)
    },
    finish: () => sections,
  }
}
