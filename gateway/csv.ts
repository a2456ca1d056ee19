// An answer as CSV (RFC 4180), for callers who prefer it to JSON: all that it lists in one table.
import { readAccept } from './accept.ts'
import type { Json } from './json/write.ts'

type Fields = { [name: string]: Json }

/**
 * A row for each thing in the answer; its first cell, `part`, says which field of the answer it is of. Columns are all names
 * that any of them has; cells of the others are empty.
 */
export function toCsv(answer: Json): string {
  const rows = Object.entries(answer as Fields).flatMap(([part, value]) =>
    typeof value === 'object' && value !== null
      ? [value].flat().map((each) => ({ part, ...(each as Fields) }))
      : [],
  )
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [columns, ...rows.map((row: Fields) => columns.map((name) => row[name] ?? ''))]
  return lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('')
}

/** What spreadsheets take for the beginning of a formula, and what they skip before it. */
const formula = /^\s*[=+\-@＝＋－＠\t\r\n]/
/** The same behind what parts cells elsewhere: in many countries that is the semicolon. */
const delimiter = /[;\t\r\n]/
const operator = /[=+\-@＝＋－＠]/

function withoutFormulas(text: string): string {
  const start = text.length - text.trimStart().length
  let safe = formula.test(text) ? `'${text.slice(0, start)}` : text.slice(0, start)
  let isStart = false
  for (const char of text.slice(start)) {
    if (isStart && operator.test(char)) safe += "'"
    safe += char
    isStart = delimiter.test(char) || (isStart && char.trim() === '')
  }
  return safe
}

function toCell(value: Json): string {
  if (typeof value === 'number') return String(value)
  const text = Array.isArray(value) ? value.join('; ') : String(value)
  const safe = withoutFormulas(text)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Whether an `accept` header likes `text/csv` better than JSON; of two that it likes the same, the first. */
export function prefersCsv(accept: string): boolean {
  const known = ['text/csv', 'application/json', 'application/*', '*/*']
  const [best] = [...readAccept(accept)].filter(([type, quality]) => quality > 0 && known.includes(type))
  return best?.[0] === 'text/csv'
}
