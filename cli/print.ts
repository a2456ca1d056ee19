// Printing for all commands. No text from pages, models or servers reaches a terminal as a control sequence. Errors
// name arguments instead of fields, and suggest the nearest name.
import type { DescMethodUnary } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Json } from '../gateway/json/write.ts'
import { ErrorDetailSchema } from '../gen/lectern/v1/error_pb.js'
import type { CliClient, JsonObject } from './client.ts'

export function printLine(line: string): void {
  process.stdout.write(`${withoutControls(line)}\n`)
}

/** Control characters except line feed and tab, and marks that change the text direction. */
const controls = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu

/** `a\u001b[31mb` → `a\ufffd[31mb` */
export function withoutControls(text: string): string {
  return text.replace(controls, '\ufffd')
}

/** Prints one JSON document per line. Control characters are written as escapes, so the document is complete. */
export function printJson(value: Json): void {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  process.stdout.write(`${JSON.stringify(value).replace(controls, escaped)}\n`)
}

/** Prints a table. Pads each column to its widest cell. Callers align numbers themselves. */
export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  for (const row of [head, ...rows]) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    printLine(cells.join('  ').trimEnd())
  }
}

/** Heading → path of the field and the text shown for null, or a function that formats the row. */
export type Columns = Record<
  string,
  string | [path: string, otherwise: string] | ((row: JsonObject) => string)
>

export function printRows(columns: Columns, rows: JsonObject[]): void {
  const toCell = (row: JsonObject, column: Columns[string]) => {
    if (typeof column === 'function') return column(row)
    const [path, otherwise] = [column, ''].flat() as [string, string]
    const value = path.split('.').reduce((group: JsonObject | null, name) => group?.[name] ?? null, row)
    return String(value ?? otherwise)
  }
  const cells = rows.map((row) => Object.values(columns).map((column) => toCell(row, column)))
  printTable(Object.keys(columns), cells)
}

/** Rows per request: the maximum of the API. */
const pageSize = 100

/** Reads a list page by page, up to `limit` rows. */
export async function* readPages(
  core: CliClient,
  rpc: DescMethodUnary,
  input: object,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<JsonObject> {
  let count = 1
  for (let offset = 0; offset < count && offset < limit; offset += pageSize) {
    const page = await core.call(rpc, { ...input, limit: Math.min(pageSize, limit - offset), offset })
    count = page.count
    yield page
  }
}

/** Rewrites each field error with `describe`. Returns other errors unchanged. */
export function describeFields(
  error: unknown,
  describe: (field: string, problem: string) => string,
): unknown {
  if (!(error instanceof ConnectError) || error.code !== Code.InvalidArgument) return error
  const [detail] = error.findDetails(ErrorDetailSchema)
  const sentences = Object.entries(detail?.fields ?? {}).map(([field, { messages }]) =>
    describe(field, messages.join(', ')),
  )
  return sentences.length === 0 ? error : new ConnectError(`${sentences.join('; ')}.`, error.code)
}

/** The nearest name. Null if more than a third of its characters differ. */
export function nearest(given: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, edits: countEdits(given.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits)
  const [best] = ranked
  return best !== undefined && best.edits <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : null
}

function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + Number(a[i - 1] !== b[j - 1])
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
