// Passages: the best units of a search, with the evidence for them, from which chat answers; and their text as Markdown.
import type { Block } from '../../crawler/extract/page.ts'
import type { Unit } from '../index/search-index.ts'
import type { SourceType } from '../store/source.ts'
import type { Typo } from './correct.ts'
import type { Meaning } from './meaning.ts'

export interface PassageRequest {
  project: string
  /** A question or keywords, as searched for. */
  q: string
  /** The page that the reader is on: a mild sign. */
  pageUrl: string | null
  /** 1 to 50. */
  limit: number
  /** Strict filters; null for all. */
  docVersion: string | null
  language: string | null
  sourceTypes: SourceType[] | null
}

export interface Passage {
  /** `{page}:{version}:{ordinal}` */
  unit: string
  page: string
  /** Ends in the section's anchor, where it has one. */
  url: string
  pageTitle: string
  /** The section's heading; the page's title above the first heading. */
  title: string
  /** Further names of what it defines; left out where there is none. */
  also?: string[]
  /** Headings from the page's title down to this one's parent. */
  path: string[]
  /** As extracted, blocks of code in fences of backticks, code within a line between backticks. */
  text: string
  /** SHA-256 of the indexed text, without fences, hex. */
  contentHash: string
  score: number
  /** Share of the question's words, weighted by idf, stop words left out, that the passage with its title and path holds: 0 to 1. */
  coverage: number
  /** Of `Passages.words`, those that neither the passage nor its title and path hold. */
  lacks: string[]
  /** Cosine of question and passage; null without vectors. */
  similarity: number | null
}

/** Best first; a page at most three times. */
export interface Passages {
  /** What was searched for: the question with its typos corrected, and the corrected words, with `term` as the pages write it. */
  q: string
  corrections: Typo[]
  passages: Passage[]
  /** Words of the question, folded, stop words left out where there are others. */
  words: string[]
  /** Words of the question, folded, stop words left out, that no page of the project holds. */
  unknownWords: string[]
  /** Units of the project: the more there are, the more it says that none of them holds a word. */
  units: number
  /** Of most of them, two letters (ISO 639-1); null where most have none, or are in several. */
  language: string | null
  /** The model whose cosines the passages' similarities are: those of two models are not alike. Null without vectors. */
  model: string | null
}

export interface FoundPassages extends Passages {
  meaning: Meaning
}

/** Stands before a passage that is not the beginning of its section. */
export const continuation = '…'

/** The text of a unit with its code marked: code that is all of a block is a block. */
export function toPassageText({
  text,
  code = [],
  continues,
}: Pick<Unit, 'text' | 'code' | 'continues'>): string {
  let shown = continues ? `${continuation}\n\n` : ''
  let read = 0
  for (let at = 0; at < code.length; at += 2) {
    const [start, end] = [code[at]!, code[at + 1]!]
    const isBlock =
      /(?:^|\n\n)$/u.test(text.slice(Math.max(0, start - 2), start)) &&
      /^(?:$|\n\n)/u.test(text.slice(end, end + 2))
    shown += text.slice(read, start) + (isBlock ? fenced : ticked)(text.slice(start, end))
    read = end
  }
  return shown + text.slice(read)
}

export function fenced(text: string, fence = chooseFence(text)): string {
  return `${fence}\n${text}\n${fence}`
}

/** Between more backticks than it has in a row. */
export function ticked(text: string): string {
  const ticks = chooseFence(text, 1)
  const gap = /^`|`$/u.test(text) ? ' ' : ''
  return `${ticks}${gap}${text}${gap}${ticks}`
}

/** Longer than any run of backticks in the text. */
export function chooseFence(text: string, least = 3): string {
  const runs = text.match(/`+/gu) ?? []
  return '`'.repeat(runs.reduce((max, run) => Math.max(max, run.length + 1), least))
}

/** Reads it back: lists and tables are known by their lines (`- `, ` | `). A fence that nothing closes goes to the end. */
export function readPassageText(text: string): Block[] {
  const blocks: Block[] = []
  let fence: string | null = null
  let lines: string[] = []
  const close = () => {
    const text = lines.join('\n')
    if (text !== '') blocks.push({ kind: fence === null ? readKind(text) : 'code', text })
    lines = []
  }
  for (const line of text.split('\n')) {
    const isFence = fence === null ? /^`{3,}$/u.test(line) : line === fence
    if (isFence || (fence === null && line === '')) {
      close()
      if (isFence) fence = fence === null ? line : null
    } else {
      lines.push(line)
    }
  }
  close()
  return blocks
}

function readKind(text: string): Block['kind'] {
  const lines = text.split('\n')
  // A passage may begin amid an item: no line of a paragraph opens with the mark of one.
  if (lines.some((line) => line.startsWith('- '))) return 'list'
  return lines.length > 1 && lines.every((line) => line.includes(' | ')) ? 'table' : 'paragraph'
}

/** A block of a passage as Markdown that shows exactly its text: only its code is markup. */
export function toMarkdown({ kind, text }: Block): string {
  if (kind === 'code') return fenced(text)
  if (kind === 'list') {
    const items = text.split(/\n(?=- )/u)
    return items.map((item) => `- ${toInline(item.replace(/^- /u, ''))}`).join('\n')
  }
  if (kind === 'table') return toTable(text.split('\n'))
  return toInline(text)
}

/** The first row is the head; every row has as many cells. */
function toTable(lines: string[]): string {
  const rows = lines.map((line) => line.split(' | ').map((cell) => toInline(cell).replaceAll('|', '\\|')))
  const width = Math.max(...rows.map((row) => row.length))
  const [head, ...others] = rows.map(
    (row) => `| ${[...row, ...Array(width - row.length).fill('')].join(' | ')} |`,
  )
  return [head, `|${' --- |'.repeat(width)}`, ...others].join('\n')
}

/** Code, and addresses, which are shown as code. */
const inlineCode = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|https?:\/\/[^\s<>()`]+[^\s<>().,;:!?'"`]/gu
/** What means something in Markdown, anywhere or where a text begins. */
const special =
  /[\\`*[\]<]|&(?=#?[\p{L}\d]+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|^[#>+~|-]|(?<=^\d+)[.)]/gu

/** Text of a passage on one line, as Markdown that shows exactly it: only its code is markup. */
export function toInline(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  let shown = ''
  let read = 0
  for (const { index, 0: code, 1: ticks } of line.matchAll(inlineCode)) {
    shown += line.slice(read, index).replace(special, '\\$&') + (ticks ? code : ticked(code))
    read = index + code.length
  }
  return shown + line.slice(read).replace(special, '\\$&')
}
