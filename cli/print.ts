// How the commands print: nothing that pages, models or servers wrote reaches a terminal as a control sequence.
import type { DescMessage, Message, MessageShape } from '@bufbuild/protobuf'
import { type Json, writeMessage } from '../gateway/json/write.ts'

export interface PrintOptions {
  json?: boolean
}

export function printLine(line: string): void {
  process.stdout.write(`${withoutControls(line)}\n`)
}

/** Control characters but line feed and tab, and marks that turn the direction of what stands beside them. */
const controls = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu

/** `a\u001b[31mb` → `a\ufffd[31mb` */
export function withoutControls(text: string): string {
  return text.replace(controls, '\ufffd')
}

/** One JSON document a line, names and values as in the REST API. */
export function printJson<Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>): void {
  printJsonLine(writeMessage(schema, message))
}

/** JSON is whole: what a terminal would act on is written as an escape. */
export function printJsonLine(value: Json): void {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  process.stdout.write(`${JSON.stringify(value).replace(controls, escaped)}\n`)
}

/** Columns padded to their widest cell; numbers to the right are the caller's to format. */
export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  for (const row of [head, ...rows]) {
    printLine(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

/** Rows per request; the maximum. */
const atOnce = 100

interface List<Result> {
  head: string[]
  schema: DescMessage
  read(page: { limit: number; offset: number }): Promise<Message & { count: number; results: Result[] }>
  toRow(result: Result): string[]
}

/** Prints a list as a table, or as one JSON document per page. Without `limit`, all rows. */
export async function printList<Result>(
  { json, limit = Number.POSITIVE_INFINITY }: PrintOptions & { limit?: number },
  { head, schema, read, toRow }: List<Result>,
): Promise<void> {
  const rows: string[][] = []
  let count = 0
  for (let offset = 0; offset === 0 || (offset < count && offset < limit); offset += atOnce) {
    const page = await read({ limit: Math.min(atOnce, limit - offset), offset })
    count = page.count
    if (json) printJsonLine(writeMessage(schema, page))
    else rows.push(...page.results.map(toRow))
  }
  if (!json) printTable(head, rows)
  if (count > limit) process.stderr.write(`${limit} of ${count} are shown: --limit shows more.\n`)
}
