// Message → JSON, by the contract's descriptors: snake_case, what is absent is null (of a oneof: left out), times in UTC
// with milliseconds, enums as lower-case suffixes.
import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import { type Timestamp, TimestampSchema, timestampDate } from '@bufbuild/protobuf/wkt'
import { FieldAccess } from '../../gen/lectern/v1/options_pb.js'
import { enumName, type FieldShape, shapeOf } from './shape.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

type Values = Record<string, unknown>

/** Writes the message as REST shows it: no field that is only taken, none of another `type`. */
export function writeMessage(desc: DescMessage, message: Message): Json {
  const values = message as unknown as Values
  const { bare, leavesOut, fields, byName } = shapeOf(desc)
  if (bare) return writeField(bare, values[bare.localName])
  const type = typeOf(byName.get('type'), values)
  const json: Record<string, Json> = {}
  for (const { field, name, access, types } of fields) {
    const value = fieldValue(field, values)
    if (value === undefined && field.oneof) continue
    if (access === FieldAccess.INPUT_ONLY || (value === undefined && leavesOut)) continue
    if (types.length === 0 || (type !== null && types.includes(type))) json[name] = writeField(field, value)
  }
  return json
}

function fieldValue(field: DescField, values: Values): unknown {
  if (!field.oneof) return values[field.localName]
  const chosen = values[field.oneof.localName] as { case?: string; value?: unknown }
  return chosen.case === field.localName ? chosen.value : undefined
}

/** `site` for a message whose field `type` is SOURCE_TYPE_SITE. */
function typeOf(shape: FieldShape | undefined, values: Values): string | null {
  return shape?.field.enum ? enumName(shape.field.enum, values.type as number) : null
}

function writeField(field: DescField, value: unknown): Json {
  if (field.fieldKind === 'list') return (value as unknown[]).map((item) => writeOne(field, item))
  if (field.fieldKind === 'map') throw new Error(`${field}: no REST answer has maps`)
  return value === undefined ? null : writeOne(field, value)
}

function writeOne(field: DescField, value: unknown): Json {
  if (field.enum) return enumName(field.enum, value as number)
  if (field.message?.typeName === TimestampSchema.typeName) {
    return timestampDate(value as Timestamp).toISOString()
  }
  if (field.message) return writeMessage(field.message, value as Message)
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return null
  return value as Json
}
