// Message → JSON, by the contract's descriptors: names in snake_case, absent fields as null (absent oneof members are omitted), times
// in UTC with milliseconds, enums as lower-case suffixes.
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  type Message,
} from '@bufbuild/protobuf'
import {
  FeatureSet_FieldPresence,
  type Timestamp,
  TimestampSchema,
  timestampDate,
} from '@bufbuild/protobuf/wkt'
import {
  answer as answerOption,
  bare,
  body as bodyOption,
  camel_case,
  FieldAccess,
  field_access,
  for_type,
  not_null,
} from '../../gen/lectern/v1/options_pb.js'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

type FieldValues = Record<string, unknown>

/** Writes the message for REST, without input-only fields and fields of another `type`. */
export function writeMessage(desc: DescMessage, message: Message): Json {
  const values = message as unknown as FieldValues
  const { bare, leavesOut, fields, byName } = findShape(desc)
  if (bare) return writeField(bare, values[bare.localName])
  const type = readType(byName.get('type'), values)
  const json: Record<string, Json> = {}
  for (const { field, name, access, types } of fields) {
    const value = fieldValue(field, values)
    if (value === undefined && field.oneof) continue
    if (access === FieldAccess.INPUT_ONLY || (value === undefined && leavesOut)) continue
    if (types.length === 0 || (type !== null && types.includes(type))) json[name] = writeField(field, value)
  }
  return json
}

/** The message that is the body in REST, and the field that holds it. `field` is null if the whole message is the body. */
function toPart(message: DescMessage, name: string): { kind: DescMessage; field: DescField | null } {
  const field = message.fields.find((candidate) => candidate.name === name)
  return field?.message ? { kind: field.message, field } : { kind: message, field: null }
}

export const findBody = (rpc: DescMethod) => toPart(rpc.input, getOption(rpc, bodyOption))
export const findAnswer = (rpc: DescMethod) => toPart(rpc.output, getOption(rpc, answerOption))

/** Writes the field that the RPC declares as its answer, else the whole message. */
export function writeAnswer(rpc: DescMethod, answer: Message): Json {
  const { kind, field } = findAnswer(rpc)
  return writeMessage(kind, field ? (answer as unknown as Record<string, Message>)[field.localName]! : answer)
}

function fieldValue(field: DescField, values: FieldValues): unknown {
  if (!field.oneof) return values[field.localName]
  const chosen = values[field.oneof.localName] as { case?: string; value?: unknown }
  return chosen.case === field.localName ? chosen.value : undefined
}

/** `site` for a message whose field `type` is SOURCE_TYPE_SITE. */
function readType(shape: FieldShape | undefined, values: FieldValues): string | null {
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

type MessageShape = ReturnType<typeof readShape>
export type FieldShape = MessageShape['fields'][number]

const shapes = new WeakMap<DescMessage, MessageShape>()

/** The REST form of a message. Cached, because options are slow to read. */
export function findShape(message: DescMessage): MessageShape {
  const shape = shapes.get(message) ?? readShape(message)
  shapes.set(message, shape)
  return shape
}

function readShape(message: DescMessage) {
  const leavesOut = getOption(message, camel_case)
  const fields = message.fields.map((field) => ({
    field,
    /** `chat_uuid`, or `chatUuid` in messages with the option `camel_case`. */
    name: leavesOut ? field.jsonName : field.name,
    /** Whether the field can be null: it has presence, and is not marked `not_null`. */
    isNullable: field.presence === FeatureSet_FieldPresence.EXPLICIT && !getOption(field, not_null),
    access: getOption(field, field_access),
    /** Values of `type` for which the field exists (`site`). Empty: all. */
    types: getOption(field, for_type),
  }))
  return {
    /** The one field that a `bare` message prints as. Null for other messages. */
    bare: getOption(message, bare) ? message.fields[0]! : null,
    /** Whether absent fields are omitted instead of written as null. */
    leavesOut,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
  }
}

/** `SOURCE_TYPE_HOSTED_SITE` → `hosted_site`. Null for UNSPECIFIED. */
export function enumName(type: DescEnum, number: number): string | null {
  const value = number === 0 ? undefined : type.value[number]
  return value ? value.name.slice((type.sharedPrefix ?? '').length).toLowerCase() : null
}

/** All names that a caller may send. */
export function enumNames(type: DescEnum): string[] {
  return type.values.flatMap((value) => enumName(type, value.number) ?? [])
}

/** The number of an enum name. Undefined for other values. */
export function enumNumber(type: DescEnum, name: unknown): number | undefined {
  return type.values.find(({ number }) => number !== 0 && enumName(type, number) === name)?.number
}
