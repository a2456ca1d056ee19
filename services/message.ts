// Rows of the store and messages of the contract. Handlers return rows, which become messages in one place (routes.ts).
import {
  create,
  type DescField,
  type DescMessage,
  isMessage,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import { type Timestamp, TimestampSchema, timestampFromDate } from '@bufbuild/protobuf/wkt'

/** A value of a message, or of a row: times are ISO texts, enum values are lower-case names, and null is unset. */
type RowValue<Value> = Value extends Timestamp
  ? Value | string
  : Value extends (infer Item)[]
    ? readonly RowValue<Item>[]
    : Value extends Message
      ? Row<Value>
      : Value extends number
        ? `${number}` extends `${Value}`
          ? Value
          : Value | string
        : Value

type Row<Shape extends Message> =
  | Shape
  | {
      readonly [Name in keyof Shape as Exclude<Name, '$typeName' | '$unknown'>]?: RowValue<Shape[Name]> | null
    }

/** What a handler may return for a message. */
export type RowOf<Desc extends DescMessage> = MessageInitShape<Desc> | Row<MessageShape<Desc>>

/** Creates a message from the fields of the row that it has. Other fields of the row are ignored. */
export function toMessage<Desc extends DescMessage>(schema: Desc, row: RowOf<Desc>): MessageShape<Desc> {
  if (isMessage(row, schema)) return row
  const values = row as Record<string, unknown>
  const init: Record<string, unknown> = {}
  for (const member of schema.members) {
    const value = values[member.localName]
    if (value === null || value === undefined) continue
    if (member.kind === 'oneof') init[member.localName] = value
    else if (Array.isArray(value)) init[member.localName] = value.map((item) => toValue(member, item))
    else init[member.localName] = toValue(member, value)
  }
  return create(schema, init as MessageInitShape<Desc>)
}

function toValue({ enum: names, message }: DescField, value: unknown): unknown {
  if (typeof value === 'string') {
    if (names) return names.values.find(({ localName }) => localName.toLowerCase() === value)?.number
    return message?.typeName === TimestampSchema.typeName ? toTime(value) : value
  }
  return message && typeof value === 'object' && !message.typeName.startsWith('google.')
    ? toMessage(message, value as RowOf<DescMessage>)
    : value
}

/** Removes fields that are null or undefined. */
export function withoutNulls<Fields extends object>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> }
}

export function toTime(at: string): Timestamp {
  return timestampFromDate(new Date(at))
}

/** `page_added` → `EventType.PAGE_ADDED`. */
export function toEnum<Name extends string, Values extends Record<Uppercase<Name>, string | number>>(
  values: Values,
  name: Name,
): Values[Uppercase<Name>] {
  return values[name.toUpperCase() as Uppercase<Name>]
}

type NameOf<Values> = Lowercase<Exclude<keyof Values & string, 'UNSPECIFIED'>>

/** `EventType.PAGE_ADDED` → `page_added`. Undefined for UNSPECIFIED. */
export function readEnum<Values extends object>(values: Values, value: number): NameOf<Values> | undefined {
  const name = (values as Record<number, string | undefined>)[value]
  return value === 0 ? undefined : (name?.toLowerCase() as NameOf<Values> | undefined)
}
