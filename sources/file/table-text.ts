// Rows of a sheet or a CSV file as text that is found: each cell beside the name of its column.
import type { Block } from '../../crawler/extract/page.ts'

/** Columns of a row; a table that is wider is refused by who reads it. */
export const maxColumns = 1_000
/** Rows in which the names of the columns are looked for. */
const headRows = 10
/** Characters of a block. */
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
  // A table of nothing but names.
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

/** Lines that stand together in one block. */
function cut(lines: string[]): string[] {
  const blocks: string[] = []
  let open: string[] = []
  let length = 0
  for (const line of lines) {
    if (open.length > 0 && length + line.length > blockLength) {
      blocks.push(open.join('\n'))
      open = []
      length = 0
    }
    open.push(line)
    length += line.length + 1
  }
  if (open.length > 0) blocks.push(open.join('\n'))
  return blocks
}
