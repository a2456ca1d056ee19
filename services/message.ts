// Converts rows of the store to messages of the contract.
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt'

export function toTime(at: string): Timestamp
export function toTime(at: string | null): Timestamp | null
export function toTime(at: string | null): Timestamp | null {
  return at === null ? null : timestampFromDate(new Date(at))
}

type IfNullable<Value, Yes, No> = Extract<Value, null | undefined> extends never ? No : Yes

type WithoutNulls<Row> = { [Name in keyof Row as IfNullable<Row[Name], never, Name>]: Row[Name] } & {
  [Name in keyof Row as IfNullable<Row[Name], Name, never>]?: NonNullable<Row[Name]>
}

/** Removes fields that are null or undefined, which a message leaves unset. */
export function withoutNulls<Row extends object>(row: Row): WithoutNulls<Row> {
  const fields = Object.entries(row).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(fields) as WithoutNulls<Row>
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
