// JSON → message, by the contract's descriptors: what is unknown, read-only or of the wrong type is named field by
// field, all of it at once. Rules on values (lengths, ranges) are the core's to check.
import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf'
import { FieldAccess } from '../../gen/lectern/v1/options_pb.js'
import { type FieldErrors, Refusal } from '../refusal.ts'
import { isLeaf, readLeaf } from './leaf.ts'
import { shapeOf } from './shape.ts'

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
