// Describes a schema, one line per field: `limit (integer, required): How many. Maximum 100.`
import { isObject, type Json, readEntries, readField, readList, readText, readTexts } from './read-file.ts'
import type { Node, References, Target } from './references.ts'

/** Maximum lines of one document. A last line says that fields were omitted. */
const maxLines = 600
/** Maximum depth of nested unnamed schemas. Named schemas have their own document. */
const maxDepth = 5
/** Maximum schemas visited for one text. */
const maxVisits = 3_000
const maxLineLength = 1_500
const maxSentence = 2_000
const maxName = 200
const maxType = 1_000
const maxListed = 60
const maxFieldNames = 100

export type SchemaText = ReturnType<typeof createSchemaText>

interface SchemaFields {
  properties: Map<string, Node>
  required: Set<string>
}

export function createSchemaText(references: References) {
  let visits = 0
  let linesLeft = maxLines

  /** Returns null if the reference is broken or circular, or the limit of visits is reached. */
  function follow(node: Node, within: readonly string[] = []): Target | null {
    visits += 1
    if (visits > maxVisits) return null
    const target = references.follow(node)
    if ('fault' in target || target.followed.some((each) => within.includes(each))) return null
    return target
  }

  /** `array of Pet`, `string (date-time)`. */
  function describeType(node: Node, depth = 0): string {
    const target = follow(node)
    if (target === null || depth > maxDepth) return referenceName(node.value)
    const { value, file, name } = target
    const child = (value: Json) => describeType({ value, file }, depth + 1)
    if (name !== null && hasFields(value)) return name
    if (!isObject(value)) return value === false ? 'nothing' : 'any value'
    for (const [field, glue] of [
      ['oneOf', ' or '],
      ['anyOf', ' or '],
      ['allOf', ' and '],
    ] as const) {
      const parts = readList(value, field)
      if (parts.length === 0) continue
      const types = [...new Set(parts.slice(0, maxListed).map(child))]
      const known = types.filter((type) => type !== 'any value')
      if (known.length > 0) return withNull(value, known.join(glue))
    }
    const given = readField(value, 'type')
    const types = typeof given === 'string' ? [given] : readTexts(value, 'type')
    const items = readField(value, 'items')
    if (types.includes('array') || (types.length === 0 && items !== undefined)) {
      const others = types.filter((type) => type !== 'array')
      return withNull(value, [`array of ${child(items ?? true)}`, ...others].join(' or '))
    }
    const format = readText(value, 'format')
    const said = types.length > 0 ? types.join(' or ') : hasFields(value) ? 'object' : 'any value'
    return withNull(value, format === '' ? said : `${said} (${format})`)
  }

  /** `Minimum 1, maximum 100, default 20.`, or ''. */
  function describeBounds(node: Node): string {
    const target = follow(node)
    if (target === null) return ''
    const items = readField(target.value, 'items')
    const ofItems = items === undefined ? null : follow({ value: items, file: target.file })
    const listed = ofItems === null ? '' : describeEnum(ofItems.value)
    const parts = [...listBounds(target.value), ...(listed === '' ? [] : [`each ${listed}`])]
    return parts.length === 0 ? '' : toSentence(parts.join(', '))
  }

  /** The schema's own fields and those of its `allOf`. */
  function readFields(target: Target, within: readonly string[]): SchemaFields {
    const fields: SchemaFields = {
      properties: new Map(),
      required: new Set(readTexts(target.value, 'required')),
    }
    for (const [name, value] of readEntries(target.value, 'properties')) {
      fields.properties.set(name, { value, file: target.file })
    }
    for (const value of readList(target.value, 'allOf')) {
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
      lines.push(toFieldLine(path, child, required.has(name)))
      if (!isNamed(child)) addLines(lines, child, `${path}.`, inner, depth + 1)
    }
    const nested: [field: string, prefix: string][] = [
      ['items', prefix === '' ? '' : `${prefix.slice(0, -1)}[].`],
      ['additionalProperties', `${prefix}*.`],
    ]
    for (const [field, path] of nested) {
      const value = readField(target.value, field)
      if (!isObject(value)) continue
      const child = { value, file }
      if (depth === 0 || !isNamed(child)) addLines(lines, child, path, inner, depth + 1)
    }
    for (const field of ['oneOf', 'anyOf']) {
      for (const value of readList(target.value, field).slice(0, maxListed)) {
        const variant = { value, file }
        if (!isNamed(variant)) addLines(lines, variant, prefix, inner, depth + 1)
      }
    }
  }

  function toFieldLine(path: string, node: Node, isRequired: boolean): string {
    const value = follow(node)?.value
    const marks = [describeType(node), ...(isRequired ? ['required'] : [])]
    for (const [name, mark] of Object.entries(flags)) if (readField(value, name) === true) marks.push(mark)
    const description = readText(value, 'description') || readText(value, 'title')
    return toLine(`${path} (${marks.join(', ')})`, description, describeBounds(node))
  }

  function isNamed(node: Node): boolean {
    const target = follow(node)
    if (target === null) return false
    if (target.name !== null) return hasFields(target.value)
    const items = readField(target.value, 'items')
    return isObject(items) && isNamed({ value: items, file: target.file })
  }

  /** One line per field. Nested fields are `owner.name` and `tags[].id`. */
  function lines(node: Node): string[] {
    if (linesLeft <= 0) return []
    const lines: string[] = []
    addLines(lines, node, '', [], 0)
    const isCut = lines.length >= linesLeft || visits > maxVisits
    linesLeft -= lines.length
    const unique = [...new Set(lines)]
    return isCut ? [...unique, '… and more fields'] : unique
  }

  /** Field names of a named schema, which has its own document. */
  function fieldNames(node: Node): string[] {
    let target = follow(node)
    for (let depth = 0; target !== null && depth < maxDepth; depth++) {
      const items: Json | undefined = readField(target.value, 'items')
      if (items === undefined) break
      target = follow({ value: items, file: target.file })
    }
    if (target === null) return []
    const names = [...readFields(target, target.followed).properties.keys()]
    return names.slice(0, maxFieldNames).map((name) => name.slice(0, maxName))
  }

  /** Resets the count of visited schemas for each external call. */
  const counted =
    <Result>(describe: (node: Node) => Result) =>
    (node: Node) => {
      visits = 0
      return describe(node)
    }

  return {
    /** Starts a new document, which has its own limit of lines. */
    begin() {
      linesLeft = maxLines
    },
    describeType: counted((node) => describeType(node).slice(0, maxType)),
    describeBounds: counted(describeBounds),
    isNamed: counted(isNamed),
    lines: counted(lines),
    fieldNames: counted(fieldNames),
  }
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

function listBounds(value: Json): string[] {
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
function describeEnum(value: Json): string {
  const values = readList(value, 'enum')
  if (values.length === 0) return ''
  const more = values.length > maxListed ? ', …' : ''
  return `one of ${values.slice(0, maxListed).map(show).join(', ')}${more}`
}

function hasFields(value: Json): boolean {
  return ['properties', 'allOf', 'oneOf', 'anyOf', 'additionalProperties'].some((field) => {
    const found = readField(value, field)
    return Array.isArray(found) ? found.length > 0 : isObject(found)
  })
}

function withNull(value: Json, type: string): string {
  return readField(value, 'nullable') === true ? `${type} or null` : type
}

/** The name in a broken `$ref`. */
function referenceName(value: Json): string {
  const reference = readField(value, '$ref')
  return typeof reference === 'string'
    ? reference.slice(reference.lastIndexOf('/') + 1).slice(0, 100)
    : 'any value'
}
