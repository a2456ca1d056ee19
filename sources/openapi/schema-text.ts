// Describes a schema, one line per field: `limit (integer, required): How many. Maximum 100.`
import { isObject, type Json, readField, readList } from './read-file.ts'
import type { Node, References } from './references.ts'

/** Maximum lines of one document. A last line says that fields were omitted. */
const maxLines = 600
/** Maximum depth of nested unnamed schemas. Named schemas have their own document. */
const maxDepth = 5
const maxLineLength = 1_500
const maxSentence = 2_000
const maxName = 200
const maxType = 1_000
const maxListed = 60
const maxFieldNames = 100

/** The returned function describes the fields of schemas in one document, which shares the maximum of lines. */
export function createFieldLines(references: References) {
  let linesLeft = maxLines

  function addLines(lines: string[], node: Node, prefix: string, within: readonly string[], depth: number) {
    if (isCircular(node, within) || depth > maxDepth || lines.length >= linesLeft) return
    const inner = [...within, ...node.followed]
    const { properties, required } = readFields(node, inner)
    for (const [name, child] of properties) {
      if (lines.length >= linesLeft) return
      const path = `${prefix}${name.slice(0, maxName)}`
      lines.push(toFieldLine(path, child, required.has(name)))
      if (!isNamed(child)) addLines(lines, child, `${path}.`, inner, depth + 1)
    }
    const nested: [field: string, prefix: string][] = [
      ['items', prefix === '' ? '' : `${prefix.slice(0, -1)}[].`],
      ['additionalProperties', `${prefix}*.`],
    ]
    for (const [field, path] of nested) {
      const child = node.field(field)
      if (depth === 0 || !isNamed(child)) addLines(lines, child, path, inner, depth + 1)
    }
    for (const variant of [...node.list('oneOf', maxListed), ...node.list('anyOf', maxListed)])
      if (!isNamed(variant)) addLines(lines, variant, prefix, inner, depth + 1)
  }

  /** One line per field. Nested fields are `owner.name` and `tags[].id`. */
  return function toLines(node: Node): string[] {
    if (linesLeft <= 0) return []
    const lines: string[] = []
    addLines(lines, node, '', [], 0)
    const isCut = lines.length >= linesLeft || references.isSpent()
    linesLeft -= lines.length
    const unique = [...new Set(lines)]
    return isCut ? [...unique, '… and more fields'] : unique
  }
}

/** `array of Pet`, `string (date-time)`. */
export function describeType(node: Node): string {
  return typeOf(node, 0).slice(0, maxType)
}

const glues = { oneOf: ' or ', anyOf: ' or ', allOf: ' and ' }

function typeOf(node: Node, depth: number): string {
  const { value, name } = node
  if (value === undefined || depth > maxDepth) return name ?? 'any value'
  if (name !== null && hasFields(value)) return name
  if (!isObject(value)) return value === false ? 'nothing' : 'any value'
  for (const [field, glue] of Object.entries(glues)) {
    const types = new Set(node.list(field, maxListed).map((part) => typeOf(part, depth + 1)))
    types.delete('any value')
    if (types.size > 0) return withNull(value, [...types].join(glue))
  }
  const given = readField(value, 'type')
  const types = typeof given === 'string' ? [given] : node.texts('type')
  const items = node.field('items')
  if (types.includes('array') || (types.length === 0 && items.exists)) {
    const others = types.filter((type) => type !== 'array')
    return withNull(value, [`array of ${typeOf(items, depth + 1)}`, ...others].join(' or '))
  }
  const format = node.text('format')
  const said = types.length > 0 ? types.join(' or ') : hasFields(value) ? 'object' : 'any value'
  return withNull(value, format === '' ? said : `${said} (${format})`)
}

/** `Minimum 1, maximum 100, default 20.`, or ''. */
export function describeBounds(node: Node): string {
  const listed = describeEnum(node.field('items').value)
  return toSentence([...listBounds(node.value), ...(listed === '' ? [] : [`each ${listed}`])].join(', '))
}

const isCircular = ({ value, followed }: Node, within: readonly string[]) =>
  value === undefined || followed.some((each) => within.includes(each))

/** The schema's own fields and those of its `allOf`. */
function readFields(node: Node, within: readonly string[]) {
  const properties = new Map(node.entries('properties'))
  const required = new Set(node.texts('required'))
  for (const part of within.length > maxDepth ? [] : node.list('allOf')) {
    if (isCircular(part, within)) continue
    const more = readFields(part, [...within, ...part.followed, ''])
    for (const [name, child] of more.properties) if (!properties.has(name)) properties.set(name, child)
    for (const name of more.required) required.add(name)
  }
  return { properties, required }
}

function toFieldLine(path: string, node: Node, isRequired: boolean): string {
  const marks = [describeType(node), ...(isRequired ? ['required'] : [])]
  for (const [name, mark] of Object.entries(flags)) if (node.is(name)) marks.push(mark)
  const description = node.text('description') || node.text('title')
  return toLine(`${path} (${marks.join(', ')})`, description, describeBounds(node))
}

/** The schema, or that of the items in lists of lists. */
function innermost(node: Node): Node {
  let at = node
  for (let depth = 0; depth < maxDepth && at.name === null; depth++) {
    const items = at.field('items')
    if (!isObject(items.value)) break
    at = items
  }
  return at
}

/** Whether a schema, or that of its items, has a document of its own. */
export function isNamed(node: Node): boolean {
  const { name, value } = innermost(node)
  return name !== null && hasFields(value)
}

/** Field names of a named schema. */
export function listFieldNames(node: Node): string[] {
  const named = innermost(node)
  const names = [...readFields(named, named.followed).properties.keys()]
  return names.slice(0, maxFieldNames).map((name) => name.slice(0, maxName))
}

const flags = { deprecated: 'deprecated', readOnly: 'read only', writeOnly: 'write only' }

/** Formats one line: `name (integer): Text of any length. Maximum 100.` */
export function toLine(name: string, ...texts: string[]): string {
  const sentences = texts.map(toSentence).filter((text) => text !== '')
  const start = name.slice(0, maxLineLength)
  const line = sentences.length > 0 ? `${start}: ${sentences.join(' ')}` : start
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength).trimEnd()}…` : line
}

/** Formats text as one line with a capital letter at the start and a period at the end. */
export function toSentence(text: string): string {
  const line = text.slice(0, maxSentence).replace(/\s+/g, ' ').trim()
  if (line === '') return ''
  const begun = /^[a-z]+ /.test(line) ? line[0]!.toUpperCase() + line.slice(1) : line
  return /[.!?:)`…。]$/.test(begun) ? begun : `${begun}.`
}

/** Formats a value briefly. */
function show(value: Json): string {
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

function listBounds(value: Json | undefined): string[] {
  const bounds: string[] = []
  for (const [field, says] of singleBounds) {
    const bound = readField(value, field)
    const isShown = typeof bound === 'number' || (typeof bound === 'string' && bound !== '')
    if (isShown || (typeof bound === 'boolean' && (field === 'default' || field === 'const')))
      bounds.push(`${says} ${show(bound)}`)
  }
  const listed = describeEnum(value)
  return listed === '' ? bounds : [...bounds, listed]
}

/** `one of available, pending, sold` */
function describeEnum(value: Json | undefined): string {
  const values = readList(value, 'enum')
  if (values.length === 0) return ''
  const more = values.length > maxListed ? ', …' : ''
  return `one of ${values.slice(0, maxListed).map(show).join(', ')}${more}`
}

function hasFields(value: Json | undefined): boolean {
  return ['properties', 'allOf', 'oneOf', 'anyOf', 'additionalProperties'].some((field) => {
    const found = readField(value, field)
    return Array.isArray(found) ? found.length > 0 : isObject(found)
  })
}

function withNull(value: Json, type: string): string {
  return readField(value, 'nullable') === true ? `${type} or null` : type
}
