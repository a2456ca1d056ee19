// Checks the contract's own options on fields (options.proto): fields of other types, and update masks.
import { type DescMessage, getOption, type Message } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import type { FieldMask } from '@bufbuild/protobuf/wkt'
import { FieldAccess, field_access, for_type } from '../gen/lectern/v1/options_pb.js'
import type { FieldErrors } from './errors.ts'

/**
 * Returns an error for each field set in the request's `body` that belongs to another type, such as `max_depth` on a source
 * of type url. Returns none for a body without a type (an update): its handler calls `fieldsOfOtherTypes`.
 */
export function foreignFields(input: DescMessage, request: Message, body: string): FieldErrors {
  const field = input.fields.find((candidate) => candidate.name === body)
  const value = field && reflect(input, request).get(field)
  if (field?.fieldKind !== 'message' || !value) return {}
  const type = typeName(field.message, (value as { message: Message }).message)
  if (type === null) return {}
  const foreign = fieldsOfOtherTypes(field.message, type)
  const shown = reflect(field.message, (value as { message: Message }).message)
  return Object.fromEntries(
    field.message.fields
      .filter((candidate) => foreign.has(candidate.name) && shown.isSet(candidate))
      .map((candidate) => [candidate.name, [`is not a field of type ${type}`]]),
  )
}

/** Names of the message's fields that do not exist for the type, such as `site`. */
export function fieldsOfOtherTypes(message: DescMessage, type: string): Set<string> {
  const foreign = message.fields.filter((field) => {
    const types = getOption(field, for_type)
    return types.length > 0 && !types.includes(type)
  })
  return new Set(foreign.map((field) => field.name))
}

/** Checks the paths of the request's `update_mask`, which are relative to the field `body`. */
export function maskFaults(
  input: DescMessage,
  request: Message,
  body: string,
): { unknown: FieldErrors; readOnly: FieldErrors } {
  const unknown: FieldErrors = {}
  const readOnly: FieldErrors = {}
  const { updateMask } = request as { updateMask?: FieldMask }
  const start = input.fields.find((field) => field.name === body)?.message
  for (const path of start && updateMask ? updateMask.paths : []) {
    const fault = pathFault(start!, path)
    if (fault === 'unknown field') unknown[path] = [fault]
    if (fault === 'read-only') readOnly[path] = [fault]
  }
  return { unknown, readOnly }
}

function pathFault(start: DescMessage, path: string): 'unknown field' | 'read-only' | null {
  let message: DescMessage | undefined = start
  for (const name of path.split('.')) {
    const field: DescMessage['fields'][number] | undefined = message?.fields.find((one) => one.name === name)
    if (!field) return 'unknown field'
    if ([FieldAccess.OUTPUT_ONLY, FieldAccess.IMMUTABLE].includes(getOption(field, field_access)))
      return 'read-only'
    message = field.fieldKind === 'message' ? field.message : undefined
  }
  return null
}

/** Returns `site` if the message's field `type` is SOURCE_TYPE_SITE. Null if there is no such field, or it is unset. */
function typeName(message: DescMessage, value: Message): string | null {
  const field = message.fields.find((candidate) => candidate.name === 'type')
  if (field?.fieldKind !== 'enum') return null
  const number = (value as unknown as { type: number }).type
  const name = field.enum.values.find((candidate) => candidate.number === number)?.name
  return number === 0 || !name ? null : name.slice((field.enum.sharedPrefix ?? '').length).toLowerCase()
}
