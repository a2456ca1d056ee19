// Message → JSON, by the contract's descriptors (decisions.md section 3): snake_case, what is absent is null, times in
// UTC with milliseconds, enums as lower-case suffixes.
import { type DescField, type DescMessage, getOption, type Message } from '@bufbuild/protobuf'
import { type Timestamp, TimestampSchema, timestampDate } from '@bufbuild/protobuf/wkt'
import { camel_case, FieldAccess, field_access, for_type } from '../../gen/lectern/v1/options_pb.js'
import { bareField, enumName, jsonName } from './names.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

type Values = Record<string, unknown>

/** Writes the message as REST shows it: no input-only field, none of another `type`. */
export function writeMessage(desc: DescMessage, message: Message): Json {
  const values = message as unknown as Values
  const only = bareField(desc)
  if (only) return writeField(only, values[only.localName])
  const leavesOut = getOption(desc, camel_case)
  const json: Record<string, Json> = {}
  for (const field of shownFields(desc, values)) {
    const value = values[field.localName]
    if (value === undefined && leavesOut) continue
    json[jsonName(field)] = writeField(field, value)
  }
  return json
}

/** Fields that REST shows of a message: all but those that are only taken. */
export function visibleFields(desc: DescMessage): DescField[] {
  return desc.fields.filter((field) => getOption(field, field_access) !== FieldAccess.INPUT_ONLY)
}

function shownFields(desc: DescMessage, values: Values): DescField[] {
  const type = desc.fields.find((field) => field.name === 'type')?.enum
  const name = type ? enumName(type, values.type as number) : null
  return visibleFields(desc).filter((field) => {
    const types = getOption(field, for_type)
    return types.length === 0 || (name !== null && types.includes(name))
  })
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
