// Finds the references (`$ref`) in a file, and follows them within a description and to other files.
import { isObject, type Json, readField, readText } from './read-file.ts'

/** A value of a description and its file. */
export interface Node {
  value: Json
  /** Address of the file. Empty for a description without an address. */
  file: string
}

/** The target of a `$ref`. */
export interface Target extends Node {
  /** Its name: `Pet` for `#/components/schemas/Pet`. Null if no `$ref` was followed. */
  name: string | null
  /** The followed references in order, as absolute addresses. */
  followed: string[]
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

  function step(node: Node, reference: string): Target | { fault: string } {
    const [, address = '', pointer = ''] = /^([^#]*)#?(.*)$/s.exec(reference) ?? []
    const file = address === '' ? node.file : toAddress(address, node.file)
    if (file === null) return { fault: `${quoted(reference)} is no address that can be read.` }
    const given = files.get(file)
    if (given === undefined) {
      const isKnown = wanted.has(file)
      if (!isKnown && files.size + wanted.size > maxFiles)
        return { fault: `${quoted(reference)} is one file too many: a description may refer to ${maxFiles}.` }
      wanted.add(file)
      return { fault: `${quoted(reference)} has not been read.` }
    }
    if ('fault' in given) return { fault: `${quoted(reference)} cannot be read: ${given.fault}` }
    const value = valueAt(given.value, pointer)
    if (value === undefined) return { fault: `${quoted(reference)} leads nowhere.` }
    return { value, file, name: toName(file, pointer), followed: [`${file}#${pointer}`] }
  }

  return {
    wanted,
    /** Follows a node's `$ref`, and further ones. `fault`: a sentence that says why a reference is broken. */
    follow(node: Node): Target | { fault: string } {
      let at: Target = { ...node, name: null, followed: [] }
      for (;;) {
        const reference = readField(at.value, '$ref')
        if (typeof reference !== 'string') return at
        if (at.followed.length === maxSteps) return { fault: `${quoted(reference)} is circular.` }
        const next = step(at, reference)
        if ('fault' in next) return next
        at = { ...withSiblings(at.value, next), followed: [...at.followed, ...next.followed] }
      }
    },
  }
}

/** Summary and description next to a `$ref` replace those of its target, because they describe this use. */
function withSiblings(from: Json, target: Target): Target {
  const texts = ['summary', 'description']
    .map((name) => [name, readText(from, name)])
    .filter(([, text]) => text !== '')
  if (texts.length === 0 || !isObject(target.value)) return target
  return { ...target, value: { ...target.value, ...Object.fromEntries(texts) } }
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

interface Visit {
  value: Json
  name: string
  parent: Visit | null
  /** Whether its keys are chosen by the description, such as property names, and are not keywords. */
  isMap: boolean
}

/** Fields with literal values: a `$ref` in them is not a reference. */
const given = new Set(['example', 'examples', 'default', 'enum', 'const'])
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'schemas'])

/**
 * Yields references in no particular order. A value in several places, such as a YAML alias, is visited once. `place` returns
 * the path of a reference: `paths./pets.get.parameters[0]`.
 */
export function* findReferences(file: Json): Generator<{ reference: string; place(): string }> {
  const seen = new Set<Json>()
  const open: Visit[] = [{ value: file, name: '', parent: null, isMap: false }]
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { value, isMap } = visit
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    const parent = visit
    const items = Array.isArray(value) ? value : []
    for (const [at, item] of items.entries())
      open.push({ value: item, name: `[${at}]`, parent, isMap: false })
    for (const [name, field] of Array.isArray(value) ? [] : Object.entries(value)) {
      if (name === '$ref' && typeof field === 'string' && !isMap) {
        yield { reference: field, place: () => toPath(parent) }
      } else if (isMap || !(given.has(name) || name.startsWith('x-'))) {
        open.push({ value: field, name, parent, isMap: !isMap && maps.has(name) && isObject(field) })
      }
    }
  }
}

function toPath(visit: Visit): string {
  const names: string[] = []
  for (let at: Visit | null = visit; at?.parent; at = at.parent) names.unshift(at.name)
  return names.join('.').replaceAll('.[', '[')
}
