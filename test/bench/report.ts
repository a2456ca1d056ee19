// The output of a benchmark: tables on the terminal, and the same figures as JSON in results/.
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'

export type Cell = string | number | null

export interface Table {
  title: string
  /** The fields of all rows are the columns, in the order in which they first occur. */
  rows: Record<string, Cell>[]
  notes?: string[]
}

/** A figure compared with its target. */
export function toTarget(what: string, reached: number, bound: '≥' | '≤', target: number) {
  const isReached = bound === '≥' ? reached >= target : reached <= target
  return { what, figure: reached, target: `${bound} ${target}`, reached: isReached ? 'yes' : 'NO' }
}

export function printTable(table: Table): void {
  console.log(`\n${table.title}`)
  const columns = [...new Set(table.rows.flatMap((row) => Object.keys(row)))]
  const lines = [columns, ...table.rows.map((row) => columns.map((column) => toText(row[column] ?? null)))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)))
  const isNumber = columns.map((column) => table.rows.some((row) => typeof row[column] === 'number'))
  for (const [number, line] of lines.entries()) {
    const cells = line.map((cell, at) =>
      isNumber[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!),
    )
    console.log(`  ${cells.join('  ').trimEnd()}`)
    if (number === 0) console.log(`  ${widths.map((width) => '─'.repeat(width)).join('  ')}`)
  }
  for (const note of table.notes ?? []) console.log(`  ${note}`)
}

/** Writes results/{name}.json: the tables, with the commit and the machine of the measurement. */
export async function writeResult(name: string, tables: Table[]): Promise<void> {
  const folder = new URL('results/', import.meta.url)
  await mkdir(folder, { recursive: true })
  const machine = {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryMb: Math.round(totalmem() / 2 ** 20),
    node: process.version,
  }
  const result = { name, at: new Date().toISOString(), commit: readCommit(), machine, tables }
  await writeFile(new URL(`${name}.json`, folder), `${JSON.stringify(result, null, 2)}\n`)
}

/** `-dirty` if files differ from the commit. */
function readCommit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  const isDirty = git('status', '--porcelain') !== ''
  return `${git('rev-parse', 'HEAD')}${isDirty ? '-dirty' : ''}`
}

/** Three significant digits, and never fewer than the integer part. */
function toText(cell: Cell): string {
  if (cell === null) return '–'
  if (typeof cell === 'string') return cell
  if (Number.isInteger(cell)) return String(cell)
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(cell) || 1)))
  return cell.toFixed(Math.min(digits, 3))
}
