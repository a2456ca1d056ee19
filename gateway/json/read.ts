// JSON → message, by the contract's descriptors: what is unknown, read-only or of the wrong type is named field by
// field, all of it at once. Rules on values (lengths, ranges) are the core's to check.
import {
  create,
  type DescField,
  type DescMessage,
  type JsonObject,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf'
import { StructSchema, TimestampSchema, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { FieldAccess } from '../../gen/lectern/v1/options_pb.js'
import { type FieldErrors, Refusal } from '../errors.ts'
import { enumNames, enumNumber, shapeOf } from './write.ts'

/** So many faults are named; a body may have a hundred thousand. */
const maxFaults = 20
/** Characters of a field's path that are shown. */
const maxShown = 200

export interface ReadOptions {
  /** Fields that are told elsewhere (in the path, in a header) and are unknown in the body. */
  without?: ReadonlySet<string>
  /** Unknown fields are passed over. */
  ignoresUnknown?: boolean
  /** A PATCH: fields that are taken at creation only are read-only, and `paths` names what the body holds. */
  update?: boolean
}

interface ReadResult {
  message: Message
  /** What the body holds, as paths of an update mask: `config.chat.think_mode`. Empty unless `update`. */
  paths: string[]
}

/**
 * Reads a JSON object into a message of the given kind. Throws Refusal `read_only` where nothing but read-only fields
 * is at fault, else `invalid`; both name every field that is.
 */
export function readMessage(desc: DescMessage, json: unknown, options: ReadOptions = {}): ReadResult {
  if (!isObject(json)) throw new Refusal('invalid', 'The body must be a JSON object.')
  // A map: names come from the caller, `__proto__` too.
  const faults = new Map<string, string[]>()
  const paths: string[] = []

  // {"config": {"chat": {"think_mode": true, "actions": []}}, "nmae": "x"} as a change of a project
  //   → paths: config.chat.think_mode · faults: config.chat.actions read-only, nmae unknown field
  function readObject(kind: DescMessage, object: object, base: string, masked: boolean): Message {
    const init: Record<string, unknown> = {}
    const { byName } = shapeOf(kind)
    for (const [name, value] of Object.entries(object)) {
      const path = base + name
      const shape = byName.get(name)
      if (!shape || (base === '' && options.without?.has(name))) {
        if (!options.ignoresUnknown) note(path, 'unknown field')
      } else if (isReadOnly(shape.access)) note(path, 'read-only')
      else if (value === null && !shape.isNullable) note(path, 'must not be null')
      else {
        const { field } = shape
        const isGroup = field.fieldKind === 'message' && !isLeaf(field) && !shapeOf(field.message).bare
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
      const leaf = readLeaf(field, value)
      return 'fault' in leaf ? note(path, leaf.fault) : leaf.value
    }
    const kind = field.message!
    const only = shapeOf(kind).bare
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

/** Throws where a field is at fault. */
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

/** The value as a message holds it, or a phrase that says what is wrong. */
type Leaf = { value: unknown } | { fault: string }

type Reader = (value: unknown) => Leaf

const maxInt32 = 2 ** 31 - 1
const timeForm =
  /^([1-9]\d{3})-(0[1-9]|1[0-2])-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

const text = reader('must be a string', (value) => typeof value === 'string')
const truth = reader('must be true or false', (value) => typeof value === 'boolean')
const number = reader('must be a number', (value) => typeof value === 'number' && Number.isFinite(value))
const whole = reader('must be a whole number', (value) => Number.isInteger(value))
const object = reader(
  'must be an object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

const scalars: Partial<Record<ScalarType, Reader>> = {
  [ScalarType.STRING]: (value) => {
    const read = text(value)
    return typeof value === 'string' && !value.isWellFormed() ? { fault: 'must be valid Unicode' } : read
  },
  [ScalarType.BOOL]: truth,
  [ScalarType.DOUBLE]: number,
  [ScalarType.INT32]: (value) => {
    const read = whole(value)
    const isGreat = 'value' in read && Math.abs(value as number) > maxInt32
    return isGreat ? { fault: `must be at most ${maxInt32}, either way` } : read
  },
}

const messages: Record<string, Reader> = {
  [TimestampSchema.typeName]: (value) => {
    const moment = typeof value === 'string' ? readTime(value) : null
    return moment
      ? { value: timestampFromDate(moment) }
      : { fault: 'must be a time such as 2026-01-31T12:00:00Z' }
  },
  [StructSchema.typeName]: (value) => {
    const read = object(value)
    return 'value' in read && !isWellFormed(value as JsonObject) ? { fault: 'must be valid Unicode' } : read
  },
}

/** Whether the field's values are read whole: everything but messages of our own. */
export function isLeaf(field: DescField): boolean {
  return !field.message || field.message.typeName in messages
}

/** Reads one value of the field (an item where the field is a list). */
export function readLeaf(field: DescField, value: unknown): Leaf {
  if (field.enum) {
    const number = enumNumber(field.enum, value)
    return number === undefined
      ? { fault: `must be one of ${enumNames(field.enum).join(', ')}` }
      : { value: number }
  }
  const read = field.message ? messages[field.message.typeName] : scalars[field.scalar as ScalarType]
  if (!read) throw new Error(`${field} has a type that no REST body carries`)
  return read(value)
}

function reader(fault: string, isGood: (value: unknown) => boolean): Reader {
  return (value) => (isGood(value) ? { value } : { fault })
}

/** RFC 3339. Date alone would take 31 February for 3 March. */
function readTime(text: string): Date | null {
  const match = timeForm.exec(text)
  if (!match) return null
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number]
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return day >= 1 && day <= lastDay ? new Date(text.toUpperCase()) : null
}

/** Names and texts of a free object, however deep. */
function isWellFormed(value: JsonObject): boolean {
  return JSON.stringify(value).search(/\\ud[89a-f][0-9a-f]{2}/) < 0
}

/** Nobody nests deeper by hand; what reads the value further may recurse. */
const maxDepth = 100

const types = /^application\/(json|[\w.+-]+\+json)$/

/** Throws Refusal `unsupported_media_type` where headers say that the body is not JSON in UTF-8. */
export function checkType(contentType: string, contentEncoding: string): void {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  const isJson = type === '' || types.test(type)
  const isUtf8 = charset === undefined || ['utf-8', 'utf8', '"utf-8"'].includes(charset)
  const isPlain = ['', 'identity'].includes(contentEncoding.toLowerCase())
  if (!isJson || !isUtf8 || !isPlain) {
    throw new Refusal(
      'unsupported_media_type',
      'The body must be JSON: content-type application/json, in UTF-8, not compressed.',
    )
  }
}

/**
 * Reads the bytes; no byte at all counts as `{}`. `maxValues`: how many values and names it may hold. Throws Refusal
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

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** Looks at the marks between values alone: a megabyte of small values takes a hundred times as long to parse as to count. */
function refuseLarge(bytes: Uint8Array, maxValues: number): void {
  let depth = 0
  let values = 1
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) isText = !isText
    else if (isText) at += byte === backslash ? 1 : 0
    else if (byte === comma || byte === colon) values++
    else if (byte === openList || byte === openObject) {
      depth++
      values++
    } else if (byte === closeList || byte === closeObject) depth--
    if (depth > maxDepth) {
      throw new Refusal('invalid', `The body must not be nested deeper than ${maxDepth} levels.`)
    }
    if (values > maxValues) {
      throw new Refusal('invalid', `The body must not hold more than ${maxValues} names and values.`)
    }
  }
}
