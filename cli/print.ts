// How the commands print.
import {
  type DescEnum,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf'

export interface PrintOptions {
  json?: boolean
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** One JSON document a line, names and values as in the REST API. */
export function printJson<Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>): void {
  const json = toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true })
  printLine(JSON.stringify(withPlainEnums(schema, json as JsonObject)))
}

/** `RUN_STATUS_COMPLETED` → `completed`, wherever it stands. */
function withPlainEnums(schema: DescMessage, json: JsonObject): JsonObject {
  const plain = { ...json }
  for (const field of schema.fields) {
    const value = plain[field.name]
    if (value === undefined || value === null) continue
    if (field.enum) plain[field.name] = each(value, (name) => plainName(field.enum as DescEnum, String(name)))
    else if (field.message && !field.message.typeName.startsWith('google.protobuf.')) {
      plain[field.name] = each(value, (inner) =>
        withPlainEnums(field.message as DescMessage, inner as JsonObject),
      )
    }
  }
  return plain
}

function each(value: JsonValue, change: (value: JsonValue) => JsonValue): JsonValue {
  return Array.isArray(value) ? value.map(change) : change(value)
}

function plainName({ sharedPrefix = '' }: DescEnum, name: string): string {
  return name.slice(sharedPrefix.length).toLowerCase()
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
