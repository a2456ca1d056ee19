// Finds the references (`$ref`) in a file, and follows them within a description and to other files.
import { isObject, type Json, readEntries, readField, readList, readText } from './read-file.ts'

/** A value of a description. Its reference is followed. */
export interface Node {
  /** Undefined if it is missing, or if its reference is broken. */
  value: Json | undefined
  /** Whether there is a value or a reference. */
  exists: boolean
  /** A sentence that says why its reference is broken. Null if it is not. */
  fault: string | null
  /** The name in its reference: `Pet` for `#/components/schemas/Pet`. Null if it has none. */
  name: string | null
  /** The followed references in order, as absolute addresses. */
  followed: string[]
  field(name: string): Node
  /** Empty unless the field is a list. */
  list(name: string, max?: number): Node[]
  /** Names and values of an object. Empty for other values. */
  entries(name: string): [string, Node][]
  /** Returns '' unless the field is a string. */
  text(name: string): string
  /** The strings in a list. */
  texts(name: string): string[]
  /** Whether the field is `true`. */
  is(name: string): boolean
}

type Target = Pick<Node, 'value' | 'name' | 'followed' | 'fault'> & {
  /** Address of its file. Empty for a description without an address. */
  file: string
}

/** A file that a description refers to: its value, or a sentence that says why it could not be read. */
export type ReferredFile = { value: Json } | { fault: string }

export type References = ReturnType<typeof createReferences>

const maxSteps = 20
/** Maximum files that a description may refer to. */
const maxFiles = 100

export function createReferences(files: ReadonlyMap<string, ReferredFile>) {
  /** Addresses of missing files in the order of their references. */
  const wanted = new Set<string>()
  let nodesLeft = Number.POSITIVE_INFINITY

  function step(from: Target, reference: string): Target {
    const [, address = '', pointer = ''] = /^([^#]*)#?(.*)$/s.exec(reference) ?? []
    const file = address === '' ? from.file : toAddress(address, from.file)
    const broken = (problem: string): Target => {
      const name = reference.slice(reference.lastIndexOf('/') + 1).slice(0, 100)
      return { ...from, value: undefined, name, fault: `${quoted(reference)} ${problem}` }
    }
    if (from.followed.length === maxSteps) return broken('is circular.')
    if (file === null) return broken('is no address that can be read.')
    const given = files.get(file)
    if (given === undefined) {
      if (!wanted.has(file) && files.size + wanted.size > maxFiles)
        return broken(`is one file too many: a description may refer to ${maxFiles}.`)
      wanted.add(file)
      return broken('has not been read.')
    }
    if ('fault' in given) return broken(`cannot be read: ${given.fault}`)
    const value = valueAt(given.value, pointer)
    if (value === undefined) return broken('leads nowhere.')
    const followed = [...from.followed, `${file}#${pointer}`]
    return {
      value: withSiblings(from.value, value),
      file,
      name: toName(file, pointer),
      followed,
      fault: null,
    }
  }

  function toNode(value: Json | undefined, file: string): Node {
    nodesLeft -= 1
    const exists = value !== undefined && nodesLeft >= 0
    let target: Target = { value: exists ? value : undefined, file, name: null, followed: [], fault: null }
    for (let next = readField(target.value, '$ref'); typeof next === 'string'; ) {
      target = step(target, next)
      next = readField(target.value, '$ref')
    }
    const toChild = (child: Json | undefined) => toNode(child, target.file)
    return {
      ...{ ...target, exists },
      field: (name) => toChild(readField(target.value, name)),
      list: (name, max) => readList(target.value, name).slice(0, max).map(toChild),
      entries: (name) => readEntries(target.value, name).map(([key, field]) => [key, toChild(field)]),
      text: (name) => readText(target.value, name),
      texts: (name) => readList(target.value, name).filter((item) => typeof item === 'string'),
      is: (name) => readField(target.value, name) === true,
    }
  }

  return {
    wanted,
    toNode,
    /** Further nodes than `max` from now on do not exist. */
    limit(max: number) {
      nodesLeft = max
    },
    isSpent: () => nodesLeft < 0,
  }
}

/** Summary and description next to a `$ref` replace those of its target, because they describe this use. */
function withSiblings(from: Json | undefined, target: Json): Json {
  const texts = ['summary', 'description'].map((name) => [name, readText(from, name)])
  const given = texts.filter(([, text]) => text !== '')
  return given.length > 0 && isObject(target) ? { ...target, ...Object.fromEntries(given) } : target
}

/** Returns null unless the address is http or https: a description must not read local files. */
function toAddress(reference: string, base: string): string | null {
  const url = URL.parse(reference, base || undefined)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (url.username !== '' || url.password !== '') return null
  return url.href
}

/** `/components/schemas/a~1b` → the field `a/b` of `schemas` of `components`. */
function valueAt(file: Json, pointer: string): Json | undefined {
  if (pointer === '' || pointer === '/') return file
  if (!pointer.startsWith('/')) return undefined
  let value: Json | undefined = file
  for (const part of splitPointer(pointer)) {
    value = Array.isArray(value) ? value[Number(part)] : readField(value, part)
  }
  return value
}

function splitPointer(pointer: string): string[] {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The last segment of a pointer, else the name of the file. */
function toName(file: string, pointer: string): string {
  if (pointer.length > 1) return (splitPointer(pointer).at(-1) as string).slice(0, 200)
  const path = URL.parse(file)?.pathname ?? ''
  return decode(path.slice(path.lastIndexOf('/') + 1)).replace(/\.(?:json|ya?ml)$/i, '')
}

function quoted(reference: string): string {
  return `$ref ${reference.length > 200 ? `${reference.slice(0, 200)}…` : reference}`
}

/** Fields with literal values: a `$ref` in them is not a reference. */
const given = new Set(['example', 'examples', 'default', 'enum', 'const'])
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'schemas'])

/**
 * Yields references in no particular order. A value in several places, such as a YAML alias, is visited once. `place`: the path of
 * a reference: `paths./pets.get.parameters[0]`.
 */
export function* findReferences(file: Json): Generator<{ reference: string; place: string }> {
  const seen = new Set<Json>()
  /** `isMap`: its keys are chosen by the description, such as property names, and are not keywords. */
  const open = [{ value: file, place: '', isMap: false }]
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { value, place, isMap } = visit
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries())
        open.push({ value: item, place: `${place}[${at}]`, isMap: false })
      continue
    }
    for (const [name, field] of Object.entries(value)) {
      if (name === '$ref' && typeof field === 'string' && !isMap) yield { reference: field, place }
      else if (isMap || !(given.has(name) || name.startsWith('x-'))) {
        const isInner = !isMap && maps.has(name) && isObject(field)
        open.push({ value: field, place: place === '' ? name : `${place}.${name}`, isMap: isInner })
      }
    }
  }
}
