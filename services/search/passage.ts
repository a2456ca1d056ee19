// Passages: the best units of a search, with relevance scores, as the input of chat answers; and their text as Markdown.
import type { Block } from '../../crawler/extract/page.ts'
import type { SourceTypeName } from '../../sources/source-type.ts'
import type { Unit } from '../index/search-index.ts'
import type { Typo } from './correct.ts'
import type { Meaning } from './meaning.ts'

export interface PassageRequest {
  project: string
  /** A question or keywords. */
  q: string
  /** The page that the reader is on. Slightly affects ranking. */
  pageUrl: string | null
  /** 1 to 50. */
  limit: number
  /** Strict filters; null for all. */
  docVersion: string | null
  language: string | null
  sourceTypes: SourceTypeName[] | null
}

export interface Passage {
  /** `{page}:{version}:{ordinal}` */
  unit: string
  page: string
  /** Includes the section's anchor, if any. */
  url: string
  pageTitle: string
  /** The section's heading, or the page's title before the first heading. */
  title: string
  /** Further names of a definition; absent if there are none. */
  also?: string[]
  /** Headings from the page's title to the parent section. */
  path: string[]
  /** As extracted, with code blocks in fences and inline code in backticks. */
  text: string
  /** SHA-256 of the indexed text, without fences, in hex. */
  contentHash: string
  score: number
  /** Share of the question's words in the passage, its title or path, weighted by idf, without stop words: 0 to 1. */
  coverage: number
  /** Words of `Passages.words` that neither the passage nor its title or path contain. */
  lacks: string[]
  /** Cosine of question and passage; null without vectors. */
  similarity: number | null
}

/** Passages are sorted best first, with at most three of a page. */
export interface Passages {
  /** The question with its typos corrected, and the corrections, with `term` as spelled on the pages. */
  q: string
  corrections: Typo[]
  passages: Passage[]
  /** Words of the question, folded, without stop words unless there are only those. */
  words: string[]
  /** Words of the question, folded, without stop words, that no page of the project contains. */
  unknownWords: string[]
  /** Number of units in the project. The more units, the more significant an unknown word. */
  units: number
  /** Language of most passages (ISO 639-1); null if there is none. */
  language: string | null
  /** Model of the similarities, which are not comparable between models. Null without vectors. */
  model: string | null
}

export interface FoundPassages extends Passages {
  meaning: Meaning
}

/** Precedes a passage that does not begin its section. */
export const continuation = '…'

/** The text of a unit with its code marked: fenced if it fills a block, else inline. */
export function toPassageText({
  text,
  code = [],
  continues,
}: Pick<Unit, 'text' | 'code' | 'continues'>): string {
  let marked = continues ? `${continuation}\n\n` : ''
  let read = 0
  for (let at = 0; at < code.length; at += 2) {
    const [start, end] = [code[at]!, code[at + 1]!]
    const isBlock =
      /(?:^|\n\n)$/u.test(text.slice(Math.max(0, start - 2), start)) &&
      /^(?:$|\n\n)/u.test(text.slice(end, end + 2))
    marked += text.slice(read, start) + (isBlock ? fenced : ticked)(text.slice(start, end))
    read = end
  }
  return marked + text.slice(read)
}

export function fenced(text: string, fence = chooseFence(text)): string {
  return `${fence}\n${text}\n${fence}`
}

/** Encloses text in more backticks than it has in a row. */
export function ticked(text: string): string {
  const ticks = chooseFence(text, 1)
  const gap = /^`|`$/u.test(text) ? ' ' : ''
  return `${ticks}${gap}${text}${gap}${ticks}`
}

/** Returns a fence longer than any run of backticks in the text. */
export function chooseFence(text: string, least = 3): string {
  const runs = text.match(/`+/gu) ?? []
  return '`'.repeat(runs.reduce((max, run) => Math.max(max, run.length + 1), least))
}

/** Parses a passage text. Recognizes lists and tables by their lines (`- `, ` | `). An unclosed fence extends to the end. */
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
  // Any line counts, since a passage may begin within an item, and a row may have one cell. No paragraph has such lines.
  if (`\n${text}`.includes('\n- ')) return 'list'
  return text.includes('\n') && text.split('\n').some((line) => cellEnd.test(line)) ? 'table' : 'paragraph'
}

/** Converts a block to Markdown that renders exactly its text. Only code is markup. */
export function toMarkdown({ kind, text }: Block): string {
  if (kind === 'code') return fenced(text)
  if (kind === 'list') {
    const items = text.split(/\n(?=- )/u)
    return items.map((item) => `- ${toInline(item.replace(/^- /u, ''))}`).join('\n')
  }
  if (kind === 'table') return toTable(text.split('\n'))
  return toInline(text)
}

/** The first and last cells of a row may be empty: `| b |`. */
const cellEnd = /(?:^| )\|(?= |$)/u

/** The first row is the head. Pads all rows to the same number of cells. */
function toTable(lines: string[]): string {
  const toCell = (text: string) => toInline(text).replaceAll('|', '\\|')
  const rows = lines.map((line) => line.split(cellEnd).map(toCell))
  const width = Math.max(...rows.map((row) => row.length))
  const [head, ...others] = rows.map(
    (row) => `| ${[...row, ...Array(width - row.length).fill('')].join(' | ')} |`,
  )
  return [head, `|${' --- |'.repeat(width)}`, ...others].join('\n')
}

/** Code, and addresses, which are rendered as code. */
const inlineCode = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|https?:\/\/[^\s<>()`]+[^\s<>().,;:!?'"`]/gu
/** Characters with a meaning in Markdown, anywhere or at the start of a text. */
const special =
  /[\\`*[\]<]|&(?=#?[\p{L}\d]+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|~(?=~)|^[#>+~|-]|(?<=^\d{1,9})[.)]/gu

/** Converts text to one line of Markdown that renders exactly it. Only code is markup. */
export function toInline(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  let escaped = ''
  let read = 0
  for (const { index, 0: code, 1: ticks } of line.matchAll(inlineCode)) {
    escaped += line.slice(read, index).replace(special, '\\$&') + (ticks ? code : ticked(code))
    read = index + code.length
  }
  return escaped + line.slice(read).replace(special, '\\$&')
}
