// What a schema says, as lines that a reader and a search understand: `- limit (integer, required): How many. Maximum 100.`
import { entriesOf, fieldOf, isObject, type Json, listOf, textOf, textsOf } from './read-file.ts'
import type { Node, References, Target } from './references.ts'

/** Of one document; the rest is left out with a line that says so. */
const maxLines = 600
/** How deep unnamed schemas are gone into; named ones have a document of their own. */
const maxDepth = 5
/** Schemas that are looked at for one text. */
const maxVisits = 3_000
const maxLineLength = 1_500
const maxSentence = 2_000
const maxName = 200
const maxType = 1_000
const maxListed = 60
const maxFieldNames = 100

export interface SchemaText {
  /** What is told from now on is of another document. */
  begin(): void
  /** `array of Pet`, `string (date-time)`. */
  typeOf(node: Node): string
  /** `Minimum 1, maximum 100, default 20.`; empty where it sets no bounds. */
  boundsOf(node: Node): string
  /** A line a field, nested ones as `owner.name` and `tags[].id`. */
  lines(node: Node): string[]
  /** Names of the fields, where the schema has a name: they are told of in its own document. */
  fieldNames(node: Node): string[]
  isNamed(node: Node): boolean
}

interface Fields {
  properties: Map<string, Node>
  required: Set<string>
}

export function createSchemaText(references: References): SchemaText {
  let visits = 0
  let linesLeft = maxLines

  /** Null where it leads nowhere, in a circle, or further than anyone reads. */
  function follow(node: Node, within: readonly string[] = []): Target | null {
    visits += 1
    if (visits > maxVisits) return null
    const target = references.follow(node)
    if ('fault' in target || target.followed.some((each) => within.includes(each))) return null
    return target
  }

  function typeOf(node: Node, depth = 0): string {
    const target = follow(node)
    if (target === null || depth > maxDepth) return nameOfReference(node.value)
    const { value, file, name } = target
    const child = (value: Json) => typeOf({ value, file }, depth + 1)
    if (name !== null && hasFields(value)) return name
    if (!isObject(value)) return value === false ? 'nothing' : 'any value'
    for (const [field, glue] of [
      ['oneOf', ' or '],
      ['anyOf', ' or '],
      ['allOf', ' and '],
    ] as const) {
      const parts = listOf(value, field)
      if (parts.length === 0) continue
      const types = [...new Set(parts.slice(0, maxListed).map(child))]
      const known = types.filter((type) => type !== 'any value')
      if (known.length > 0) return withNull(value, known.join(glue))
    }
    const given = fieldOf(value, 'type')
    const types = typeof given === 'string' ? [given] : textsOf(value, 'type')
    const items = fieldOf(value, 'items')
    if (types.includes('array') || (types.length === 0 && items !== undefined)) {
      const others = types.filter((type) => type !== 'array')
      return withNull(value, [`array of ${child(items ?? true)}`, ...others].join(' or '))
    }
    const format = textOf(value, 'format')
    const said = types.length > 0 ? types.join(' or ') : hasFields(value) ? 'object' : 'any value'
    return withNull(value, format === '' ? said : `${said} (${format})`)
  }

  function boundsOf(node: Node): string {
    const target = follow(node)
    if (target === null) return ''
    const items = fieldOf(target.value, 'items')
    const ofItems = items === undefined ? null : follow({ value: items, file: target.file })
    const listed = ofItems === null ? '' : readList(ofItems.value)
    const parts = [...readBounds(target.value), ...(listed === '' ? [] : [`each ${listed}`])]
    return parts.length === 0 ? '' : toSentence(parts.join(', '))
  }

  /** Of itself and of all that it is said to be, too. */
  function readFields(target: Target, within: readonly string[]): Fields {
    const fields: Fields = { properties: new Map(), required: new Set(textsOf(target.value, 'required')) }
    for (const [name, value] of entriesOf(target.value, 'properties')) {
      fields.properties.set(name, { value, file: target.file })
    }
    for (const value of listOf(target.value, 'allOf')) {
      const part = follow({ value, file: target.file }, within)
      if (part === null || within.length > maxDepth) continue
      const more = readFields(part, [...within, ...part.followed, ''])
      for (const [name, node] of more.properties)
        if (!fields.properties.has(name)) fields.properties.set(name, node)
      for (const name of more.required) fields.required.add(name)
    }
    return fields
  }

  function addLines(lines: string[], node: Node, prefix: string, within: readonly string[], depth: number) {
    const target = follow(node, within)
    if (target === null || depth > maxDepth || lines.length >= linesLeft) return
    const { file } = target
    const inner = [...within, ...target.followed]
    const { properties, required } = readFields(target, inner)
    for (const [name, child] of properties) {
      if (lines.length >= linesLeft) return
      const path = `${prefix}${name.slice(0, maxName)}`
      lines.push(lineOf(path, child, required.has(name)))
      if (!isNamed(child)) addLines(lines, child, `${path}.`, inner, depth + 1)
    }
    const nested: [field: string, prefix: string][] = [
      ['items', prefix === '' ? '' : `${prefix.slice(0, -1)}[].`],
      ['additionalProperties', `${prefix}*.`],
    ]
    for (const [field, path] of nested) {
      const value = fieldOf(target.value, field)
      if (!isObject(value)) continue
      const child = { value, file }
      if (depth === 0 || !isNamed(child)) addLines(lines, child, path, inner, depth + 1)
    }
    for (const field of ['oneOf', 'anyOf']) {
      for (const value of listOf(target.value, field).slice(0, maxListed)) {
        const variant = { value, file }
        if (!isNamed(variant)) addLines(lines, variant, prefix, inner, depth + 1)
      }
    }
  }

  function lineOf(path: string, node: Node, isRequired: boolean): string {
    const description = descriptionOf(node)
    const marks = [typeOf(node), ...(isRequired ? ['required'] : []), ...flagsOf(node)]
    return toLine(`${path} (${marks.join(', ')})`, description, boundsOf(node))
  }

  function descriptionOf(node: Node): string {
    const target = follow(node)
    if (target === null) return ''
    return textOf(target.value, 'description') || textOf(target.value, 'title')
  }

  function flagsOf(node: Node): string[] {
    const target = follow(node)
    const flags: [string, string][] = [
      ['deprecated', 'deprecated'],
      ['readOnly', 'read only'],
      ['writeOnly', 'write only'],
    ]
    return flags.filter(([name]) => fieldOf(target?.value, name) === true).map(([, flag]) => flag)
  }

  function isNamed(node: Node): boolean {
    const target = follow(node)
    if (target === null) return false
    if (target.name !== null) return hasFields(target.value)
    const items = fieldOf(target.value, 'items')
    return isObject(items) && isNamed({ value: items, file: target.file })
  }

  return {
    begin() {
      linesLeft = maxLines
    },
    typeOf: (node) => {
      visits = 0
      return typeOf(node).slice(0, maxType)
    },
    boundsOf: (node) => {
      visits = 0
      return boundsOf(node)
    },
    isNamed: (node) => {
      visits = 0
      return isNamed(node)
    },
    lines(node) {
      if (linesLeft <= 0) return []
      visits = 0
      const lines: string[] = []
      addLines(lines, node, '', [], 0)
      const isCut = lines.length >= linesLeft || visits > maxVisits
      linesLeft -= lines.length
      const unique = [...new Set(lines)]
      return isCut ? [...unique, '- … and more fields'] : unique
    },
    fieldNames(node) {
      visits = 0
      let target = follow(node)
      for (let depth = 0; target !== null && depth < maxDepth; depth++) {
        const items: Json | undefined = fieldOf(target.value, 'items')
        if (items === undefined) break
        target = follow({ value: items, file: target.file })
      }
      if (target === null) return []
      const names = [...readFields(target, target.followed).properties.keys()]
      return names.slice(0, maxFieldNames).map((name) => name.slice(0, maxName))
    },
  }
}

/** `- name (integer): Text of any length. Maximum 100.`, in one line. */
export function toLine(name: string, ...texts: string[]): string {
  const sentences = texts.map(toSentence).filter((text) => text !== '')
  const line = [
    `- ${name.slice(0, maxLineLength)}`,
    ...(sentences.length > 0 ? [sentences.join(' ')] : []),
  ].join(': ')
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength).trimEnd()}…` : line
}

/** In one line, opened by a capital letter and closed by a full stop. */
export function toSentence(text: string): string {
  const line = text.slice(0, maxSentence).replace(/\s+/g, ' ').trim()
  if (line === '') return ''
  const begun = /^[a-z]+ /.test(line) ? line[0]!.toUpperCase() + line.slice(1) : line
  return /[.!?:)`…。]$/.test(begun) ? begun : `${begun}.`
}

/** A value in few words. */
export function show(value: Json): string {
  if (typeof value === 'string') return value.length > 200 ? `${value.slice(0, 200)}…` : value
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  return String(value)
}

const singleBounds: [field: string, says: string][] = [
  ['minimum', 'minimum'],
  ['exclusiveMinimum', 'above'],
  ['maximum', 'maximum'],
  ['exclusiveMaximum', 'below'],
  ['multipleOf', 'multiple of'],
  ['minLength', 'minimum length'],
  ['maxLength', 'maximum length'],
  ['minItems', 'minimum number of items'],
  ['maxItems', 'maximum number of items'],
  ['pattern', 'pattern'],
  ['const', 'always'],
  ['default', 'default'],
  ['example', 'example'],
]

function readBounds(value: Json): string[] {
  const bounds: string[] = []
  for (const [field, says] of singleBounds) {
    const bound = fieldOf(value, field)
    const isShown = typeof bound === 'number' || (typeof bound === 'string' && bound !== '')
    if (isShown || (typeof bound === 'boolean' && (field === 'default' || field === 'const')))
      bounds.push(`${says} ${show(bound)}`)
  }
  const listed = readList(value)
  return listed === '' ? bounds : [...bounds, listed]
}

/** `one of available, pending, sold` */
function readList(value: Json): string {
  const values = listOf(value, 'enum')
  if (values.length === 0) return ''
  const more = values.length > maxListed ? ', …' : ''
  return `one of ${values.slice(0, maxListed).map(show).join(', ')}${more}`
}

function hasFields(value: Json): boolean {
  return ['properties', 'allOf', 'oneOf', 'anyOf', 'additionalProperties'].some((field) => {
    const found = fieldOf(value, field)
    return Array.isArray(found) ? found.length > 0 : isObject(found)
  })
}

function withNull(value: Json, type: string): string {
  return fieldOf(value, 'nullable') === true ? `${type} or null` : type
}

/** Where it cannot be followed, what it is called is known all the same. */
function nameOfReference(value: Json): string {
  const reference = fieldOf(value, '$ref')
  return typeof reference === 'string'
    ? reference.slice(reference.lastIndexOf('/') + 1).slice(0, 100)
    : 'any value'
}
