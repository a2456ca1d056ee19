// Reads CSV files, and converts table rows to searchable text: each cell follows the name of its column.
import { parse } from 'csv-parse/sync'
import {
  type Block,
  createLimits,
  type ExtractedPage,
  fileName,
  textPage,
} from '../../crawler/extract/page.ts'
import { BadFile } from './formats.ts'

/** Maximum columns. Wider tables are refused. */
export const maxColumns = 1_000
/** First rows in which the header row is searched. */
const headRows = 10
/** Maximum characters of a block. */
const blockLength = 2_000

/**
 *   [['Prices'], ['Name', 'Price'], ['Bolt', '0.30']] → paragraph "Prices", table "Name: Bolt | Price: 0.30"
 */
export function toBlocks(rows: string[][]): Block[] {
  const seen = rows
    .map((row) => row.map((cell) => cell.replace(/\s+/g, ' ').trim()))
    .filter((row) => row.some((cell) => cell !== ''))
  const width = Math.max(0, ...seen.slice(0, headRows).map(filled))
  const head = width < 2 ? -1 : seen.findIndex((row) => filled(row) > width / 2)
  const names = seen[head] ?? []
  const above = seen.slice(0, Math.max(0, head)).map((row) => toLine(row))
  const lines = seen.slice(head + 1).map((row) => toLine(row, names))
  // A table with only a header row.
  if (head >= 0 && lines.length === 0) lines.push(toLine(names))
  return [
    ...above.map((text): Block => ({ kind: 'paragraph', text })),
    ...cut(lines).map((text): Block => ({ kind: 'table', text })),
  ]
}

const filled = (row: string[]) => row.filter((cell) => cell !== '').length

function toLine(row: string[], names: string[] = []): string {
  return row
    .map((cell, at) => (cell !== '' && names[at] ? `${names[at]}: ${cell}` : cell))
    .filter((text) => text !== '')
    .join(' | ')
}

/** Joins lines into blocks of limited length. */
function cut(lines: string[]): string[] {
  const blocks: string[] = []
  for (const line of lines) {
    const last = blocks.at(-1)
    if (last === undefined || last.length + line.length >= blockLength) blocks.push(line)
    else blocks[blocks.length - 1] = `${last}\n${line}`
  }
  return blocks
}

const delimiters = [',', ';', '\t', '|']
/** Characters from which the delimiter is detected. */
const sample = 10_000
/** Maximum characters of a row. */
const maxRow = 1_000_000

/** Throws BadFile. */
export function extractCsv(text: string, url: string): ExtractedPage {
  const blocks = toBlocks(readRows(text.toWellFormed().replaceAll('\0', '')))
  const limits = createLimits(text.length)
  const section = { kind: 'heading' as const, anchor: null, heading: '', path: [], blocks }
  return textPage(fileName(url), blocks.length > 0 ? [section] : [], limits)
}

/** Spreadsheet programs may name the delimiter in a first line: `sep=;`. */
const delimiterLine = /^sep=(.)\r?\n/

function readRows(text: string): string[][] {
  try {
    return parse(text.replace(delimiterLine, ''), {
      delimiter: delimiterLine.exec(text)?.[1] ?? findDelimiter(text),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: maxRow,
      on_record(row: string[]) {
        if (row.length > maxColumns)
          throw new BadFile(`has more than ${maxColumns.toLocaleString('en')} columns`)
        return row
      },
    }) as string[][]
  } catch (error) {
    if (error instanceof BadFile) throw error
    throw new BadFile(
      'is no CSV that can be read: a quotation mark that is never closed, or a row without end',
    )
  }
}

/** The delimiter with the same count, outside quotes, in most of the first lines. A title may precede them. */
function findDelimiter(text: string): string {
  const lines = text
    .slice(0, sample)
    .replace(/"[^"]*"/g, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
  const countFields = (delimiter: string) => lines.map((line) => line.split(delimiter).length - 1)
  const worth = (delimiter: string) => {
    const lineCounts = new Map<number, number>()
    for (const count of countFields(delimiter)) lineCounts.set(count, (lineCounts.get(count) ?? 0) + 1)
    lineCounts.delete(0)
    return Math.max(0, ...[...lineCounts].map(([count, alike]) => alike * (1 + Math.log(count))))
  }
  return delimiters.reduce((best, each) => (worth(each) > worth(best) ? each : best))
}
