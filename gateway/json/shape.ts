// How the contract's messages read in JSON. Options are slow to read, so each message's shape is made once.
import { type DescEnum, type DescField, type DescMessage, getOption } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import {
  bare,
  camel_case,
  type FieldAccess,
  field_access,
  for_type,
  not_null,
} from '../../gen/lectern/v1/options_pb.js'

export interface FieldShape {
  field: DescField
  /** `chat_uuid`, or `chatUuid` in messages that say so. */
  name: string
  /** Whether the field can be null: it has presence, and the contract does not say that it is always there. */
  isNullable: boolean
  access: FieldAccess
  /** Types of the thing that has the field (`site`); empty: all. */
  types: readonly string[]
}

export interface MessageShape {
  /** The one field that a `bare` message is shown as; null for other messages. */
  bare: DescField | null
  /** Whether what is absent is left out, not null. */
  leavesOut: boolean
  fields: readonly FieldShape[]
  byName: ReadonlyMap<string, FieldShape>
}

const shapes = new WeakMap<DescMessage, MessageShape>()

export function shapeOf(message: DescMessage): MessageShape {
  const known = shapes.get(message)
  if (known) return known
  const leavesOut = getOption(message, camel_case)
  const fields = message.fields.map((field) => ({
    field,
    name: leavesOut ? field.jsonName : field.name,
    isNullable: field.presence === FeatureSet_FieldPresence.EXPLICIT && !getOption(field, not_null),
    access: getOption(field, field_access),
    types: getOption(field, for_type),
  }))
  const shape: MessageShape = {
    bare: getOption(message, bare) ? message.fields[0]! : null,
    leavesOut,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
  }
  shapes.set(message, shape)
  return shape
}

/** `SOURCE_TYPE_HOSTED_SITE` → `hosted_site`; null for the value that stands for nothing. */
export function enumName(type: DescEnum, number: number): string | null {
  const value = number === 0 ? undefined : type.value[number]
  return value ? value.name.slice((type.sharedPrefix ?? '').length).toLowerCase() : null
}

/** Every name of the enum that a caller may write. */
export function enumNames(type: DescEnum): string[] {
  return type.values.flatMap((value) => enumName(type, value.number) ?? [])
}

/** The number that the name stands for; undefined for any other value. */
export function enumNumber(type: DescEnum, name: unknown): number | undefined {
  return type.values.find(({ number }) => number !== 0 && enumName(type, number) === name)?.number
}
