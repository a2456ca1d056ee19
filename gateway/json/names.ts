// How the contract's names and values read in JSON (decisions.md section 3, proto/lectern/v1/options.proto).
import { type DescEnum, type DescField, type DescMessage, getOption } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { bare, camel_case, not_null } from '../../gen/lectern/v1/options_pb.js'

/** `chat_uuid`, or `chatUuid` in messages that say so. */
export function jsonName(field: DescField): string {
  return getOption(field.parent, camel_case) ? field.jsonName : field.name
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

/** The one field that a `bare` message is shown as; null for other messages. */
export function bareField(message: DescMessage): DescField | null {
  return getOption(message, bare) ? message.fields[0]! : null
}

/** Whether the field can be null: it has presence, and the contract does not say that it is always there. */
export function isNullable(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.EXPLICIT && !getOption(field, not_null)
}
