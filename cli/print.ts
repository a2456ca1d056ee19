// How the commands print.
import { type DescMessage, type MessageShape, toJsonString } from '@bufbuild/protobuf'

export interface PrintOptions {
  json?: boolean
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** One JSON document a line, names as in the REST API. */
export function printJson<Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>): void {
  printLine(toJsonString(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true }))
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
