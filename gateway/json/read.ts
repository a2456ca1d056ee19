// JSON → message, by the contract's descriptors. Reports all unknown, read-only and mistyped fields at once. The core
// checks rules on values (lengths, ranges).
import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf'
import { StructSchema, type Timestamp, TimestampSchema, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { FieldAccess } from '../../gen/lectern/v1/options_pb.js'
import { type FieldErrors, Refusal } from '../errors.ts'
import { enumNames, enumNumber, findShape } from './write.ts'

/** Maximum faults in a response. A body may have a hundred thousand. */
const maxFaults = 20
/** Maximum characters of a field's path in an error. */
const maxShown = 200

export interface ReadOptions {
  /** Fields that come from the path or a header. In the body they are unknown. */
  without?: ReadonlySet<string>
  /** Name in the body → name of the field. Errors use the name in the body. */
  renamed?: Readonly<Record<string, string>>
  /** Whether to ignore an unknown field. */
  ignores?(name: string): boolean
  /** Whether null means that the field is absent. */
  isNullLeftOut?: boolean
  /** PATCH: fields that only creation takes are read-only, and `paths` lists the fields in the body. */
  update?: boolean
}

/**
 * Reads a JSON object into a message of the given kind. Throws Refusal `read_only` if all faults are read-only fields,
 * else `invalid`. Both name every field at fault.
 */
export function readMessage(desc: DescMessage, json: unknown, options: ReadOptions = {}) {
  if (!isObject(json)) throw new Refusal('invalid', 'The body must be a JSON object.')
  // A map, because callers choose the names: `__proto__` is possible.
  const faults = new Map<string, string[]>()
  /** Fields in the body of a PATCH, as paths of an update mask: `config.chat.think_mode`. */
  const paths: string[] = []

  // {"config": {"chat": {"think_mode": true, "actions": []}}, "nmae": "x"} as a change of a project
  //   → paths: config.chat.think_mode · faults: config.chat.actions read-only, nmae unknown field
  function readObject(kind: DescMessage, object: object, base: string, masked: boolean): Message {
    const init: Record<string, unknown> = {}
    const { byName } = findShape(kind)
    for (const [name, value] of Object.entries(object)) {
      const path = base + name
      const shape = byName.get((base === '' && options.renamed?.[name]) || name)
      if (!shape || (base === '' && options.without?.has(name))) {
        if (!options.ignores?.(name)) note(path, 'unknown field')
      } else if (value === null && options.isNullLeftOut) continue
      else if (isReadOnly(shape.access)) note(path, 'read-only')
      else if (value === null && !shape.isNullable) note(path, 'must not be null')
      else {
        const { field } = shape
        const isGroup = field.fieldKind === 'message' && !isLeaf(field) && !findShape(field.message).bare
        if (masked && (value === null || !isGroup)) paths.push(path)
        if (value !== null) init[field.localName] = readField(field, value, path, masked && isGroup)
      }
    }
    return create(kind, init)
  }

  function readField(field: DescField, value: unknown, path: string, masked: boolean): unknown {
    if (field.fieldKind !== 'list') return readOne(field, value, path, masked)
    if (!Array.isArray(value)) return note(path, 'must be a list')
    return value.map((item, at) => readOne(field, item, `${path}[${at}]`, false))
  }

  function readOne(field: DescField, value: unknown, path: string, masked: boolean): unknown {
    if (isLeaf(field)) {
      const fault = findFault(field, value)
      return fault === null ? readLeaf(field, value) : note(path, fault)
    }
    const kind = field.message!
    const only = findShape(kind).bare
    if (only) return create(kind, { [only.localName]: readField(only, value, path, false) })
    return isObject(value) ? readObject(kind, value, `${path}.`, masked) : note(path, 'must be an object')
  }

  function note(path: string, phrase: string): undefined {
    faults.set(path.length > maxShown ? `${path.slice(0, maxShown).toWellFormed()}…` : path, [phrase])
    if (faults.size === maxFaults) refuse(Object.fromEntries(faults))
  }

  function isReadOnly(access: FieldAccess): boolean {
    return access === FieldAccess.OUTPUT_ONLY || (access === FieldAccess.IMMUTABLE && options.update === true)
  }

  const message = readObject(desc, json, '', options.update === true)
  refuse(Object.fromEntries(faults))
  return { message, paths }
}

export function refuse(faults: FieldErrors): void {
  const phrases = Object.entries(faults)
  const [first] = phrases
  if (!first) return
  const [path, [phrase]] = first
  const isReadOnly = phrases.every(([, [each]]) => each === 'read-only')
  throw new Refusal(isReadOnly ? 'read_only' : 'invalid', `${path}: ${phrase}.`, faults)
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const maxInt32 = 2 ** 31 - 1
const wrongUnicode = 'must be valid Unicode'
const leafMessages: readonly string[] = [TimestampSchema.typeName, StructSchema.typeName]

/** Whether the field's values are read as a whole: all but Lectern's own messages. */
function isLeaf(field: DescField): boolean {
  return !field.message || leafMessages.includes(field.message.typeName)
}

/** A valid value of the field, or of an item of a list, as messages have it. */
function readLeaf(field: DescField, value: unknown): unknown {
  if (field.enum) return enumNumber(field.enum, value)
  return field.message?.typeName === TimestampSchema.typeName ? readTime(value) : value
}

function findFault(field: DescField, value: unknown): string | null {
  const unless = (isGood: boolean, fault: string) => (isGood ? null : fault)
  if (field.enum) {
    const names = enumNames(field.enum).join(', ')
    return unless(enumNumber(field.enum, value) !== undefined, `must be one of ${names}`)
  }
  switch (field.message?.typeName ?? field.scalar) {
    case ScalarType.STRING:
      return typeof value === 'string' ? unless(value.isWellFormed(), wrongUnicode) : 'must be a string'
    case ScalarType.BOOL:
      return unless(typeof value === 'boolean', 'must be true or false')
    case ScalarType.DOUBLE:
      return unless(Number.isFinite(value), 'must be a number')
    case ScalarType.INT32:
      if (!Number.isInteger(value)) return 'must be a whole number'
      return unless(Math.abs(value as number) <= maxInt32, `must be from -${maxInt32} to ${maxInt32}`)
    case TimestampSchema.typeName:
      return unless(readTime(value) !== null, 'must be a time such as 2026-01-31T12:00:00Z')
    case StructSchema.typeName:
      return isObject(value) ? unless(isWellFormed(value), wrongUnicode) : 'must be an object'
    default:
      throw new Error(`${field} has a type that no REST body carries`)
  }
}

const timeForm =
  /^([1-9]\d{3})-(0[1-9]|1[0-2])-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

/** Reads an RFC 3339 time. `Date` would accept 31 February as 3 March. */
function readTime(value: unknown): Timestamp | null {
  const match = typeof value === 'string' && timeForm.exec(value)
  if (!match) return null
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number]
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return day >= 1 && day <= lastDay ? timestampFromDate(new Date(match[0].toUpperCase())) : null
}

/** Checks names and texts at every depth. */
function isWellFormed(value: object): boolean {
  return JSON.stringify(value).search(/\\ud[89a-f][0-9a-f]{2}/) < 0
}

/** Limits the nesting, because code that processes the value may recurse. */
const maxDepth = 100

/** Throws Refusal `unsupported_media_type` unless the headers allow JSON in UTF-8. */
export function checkType(contentType: string, contentEncoding: string): void {
  const isPlain = ['', 'identity'].includes(contentEncoding.toLowerCase())
  if (isPlain && isJsonType(contentType)) return
  throw new Refusal(
    'unsupported_media_type',
    'The body must be JSON: content-type application/json, in UTF-8, not compressed.',
  )
}

function isJsonType(contentType: string): boolean {
  if (contentType === '') return true
  const [type = '', ...parameters] = contentType.toLowerCase().split(/\s*;\s*/)
  const charset = parameters.find((each) => each.startsWith('charset=')) ?? 'charset=utf-8'
  return (
    /^application\/(json|[\w.+-]+\+json)$/.test(type.trim()) && /^charset="?utf-?8"?$/.test(charset.trim())
  )
}

/**
 * Parses JSON. An empty body counts as `{}`. `maxValues`: maximum number of values and names. Throws Refusal
 * `invalid`.
 */
export function readJson(bytes: Uint8Array, maxValues: number): unknown {
  if (bytes.length === 0) return {}
  refuseLarge(bytes, maxValues)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new Refusal('invalid', 'The body is not valid JSON in UTF-8.')
  }
}

/** Counts delimiters without parsing: a megabyte of small values takes a hundred times as long to parse as to count. */
function refuseLarge(bytes: Uint8Array, maxValues: number): void {
  let depth = 0
  let values = 1
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const mark = String.fromCharCode(bytes[at]!)
    if (mark === '"') isText = !isText
    else if (isText) at += mark === '\\' ? 1 : 0
    else if (mark === ',' || mark === ':') values++
    else if (mark === '[' || mark === '{') {
      depth++
      values++
    } else if (mark === ']' || mark === '}') depth--
    if (depth > maxDepth) {
      throw new Refusal('invalid', `The body must not be nested deeper than ${maxDepth} levels.`)
    }
    if (values > maxValues) {
      throw new Refusal('invalid', `The body must not hold more than ${maxValues} names and values.`)
    }
  }
}
