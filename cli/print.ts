// How the commands print: nothing that pages, models or servers wrote reaches a terminal as a control sequence.
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf'
import { camel_case } from '../gen/lectern/v1/options_pb.js'

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
  const json = toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true })
  printJsonLine(withPlainNames(schema, json as JsonObject))
}

/** JSON is whole: what a terminal would act on is written as an escape. */
export function printJsonLine(value: JsonValue): void {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  process.stdout.write(`${JSON.stringify(value).replace(controls, escaped)}\n`)
}

/** `RUN_STATUS_COMPLETED` → `completed`, wherever it stands; names of the chat's frames in camelCase. */
function withPlainNames(schema: DescMessage, json: JsonObject): JsonObject {
  const plain: JsonObject = {}
  const isCamel = getOption(schema, camel_case)
  for (const field of schema.fields) {
    const value = json[field.name]
    if (value === undefined) continue
    plain[isCamel ? field.jsonName : field.name] = value === null ? null : plainValue(field, value)
  }
  return plain
}

function plainValue(field: DescField, value: JsonValue): JsonValue {
  if (field.enum) return each(value, (name) => plainName(field.enum as DescEnum, String(name)))
  if (!field.message || field.message.typeName.startsWith('google.protobuf.')) return value
  return each(value, (inner) => withPlainNames(field.message as DescMessage, inner as JsonObject))
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
