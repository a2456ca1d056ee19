// JSON Schemas of the contract's messages in REST, with the comments of proto/, and of the responses that only REST v1
// has.
import { readdirSync, readFileSync } from 'node:fs'
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { StructSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { FieldAccess } from '../../gen/lectern/v1/options_pb.js'
import { ProjectSchema } from '../../gen/lectern/v1/project_pb.js'
import { enumName, enumNames, type FieldShape, findShape } from '../json/write.ts'
import { settingPaths } from '../rest-v1.ts'
import { isRequired, type Schema, toExcluded, toExcludedTypes, toKeywords, toSentences } from './rules.ts'

export type Use = 'answer' | 'creation' | 'change'

interface MessageChange {
  without?: ReadonlySet<string>
  /** Name in the body → name of the field. */
  renamed?: Record<string, string> | undefined
  /** The field of a request that has the message. Its rules also apply. */
  holder?: DescField | null
  /** Whether null means absent, for every field. */
  isNullLeftOut?: boolean
}

export type Schemas = ReturnType<typeof createSchemas>

const suffix: Record<Use, string> = { answer: '', creation: 'Creation', change: 'Change' }

/** Access options whose fields are omitted. */
const left: Record<Use, FieldAccess[]> = {
  answer: [FieldAccess.INPUT_ONLY],
  creation: [FieldAccess.OUTPUT_ONLY],
  change: [FieldAccess.OUTPUT_ONLY, FieldAccess.IMMUTABLE],
}

const scalars: Partial<Record<ScalarType, Schema>> = {
  [ScalarType.STRING]: { type: 'string' },
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.INT32]: { type: 'integer', format: 'int32' },
  [ScalarType.DOUBLE]: { type: 'number' },
}

/** `isOpen`: whether bodies may have unknown fields. */
export function createSchemas(comments: Comments, { isOpen = false } = {}) {
  /** All referenced schemas, by name. */
  const components: Record<string, Schema> = {}

  /** A reference to the schema of a message, which is added to `components`. */
  function ofMessage(message: DescMessage, use: Use, change: MessageChange = {}): Schema {
    const name = toSchemaName(message, use)
    if (!components[name]) {
      components[name] = {}
      components[name] = toSchema(message, use, change)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** If fields depend on the type, the creation schema is one of several objects. */
  function toSchema(message: DescMessage, use: Use, change: MessageChange): Schema {
    const { fields } = findShape(message)
    const type = fields.find(({ name, field }) => name === 'type' && field.enum)?.field
    const hasTypes = fields.some(({ types }) => types.length > 0)
    if (use !== 'creation' || !type || !hasTypes) return toMessageObject(message, use, change)
    const excluded = [0, ...toExcludedTypes(change.holder ?? null)]
    const names = type.enum!.values.flatMap(({ number }) =>
      excluded.includes(number) ? [] : enumName(type.enum!, number)!,
    )
    const objects = names.map((name) => {
      const { properties, required, ...object } = toMessageObject(message, 'creation', change, name)
      const own = { ...(properties as Schema), type: { type: 'string', const: name } }
      const mustBe = [...new Set(['type', ...((required as string[]) ?? [])])]
      return { title: name, ...object, properties: own, required: mustBe }
    })
    return { description: describe(message, change), oneOf: objects }
  }

  function toMessageObject(message: DescMessage, use: Use, change: MessageChange, type?: string): Schema {
    const { without, renamed = {}, isNullLeftOut = false } = change
    const others = new Map(Object.entries(renamed).map(([shown, name]) => [name, shown]))
    const fields = findShape(message).fields.filter(
      ({ access, name, types }) =>
        !left[use].includes(access) &&
        !without?.has(name) &&
        (type === undefined || types.length === 0 || types.includes(type)),
    )
    const required = fields.filter((shape) => isThere(shape, use)).map(({ name }) => others.get(name) ?? name)
    const toProperty = (shape: FieldShape) => {
      const schema = ofField(shape.field, use)
      return isNullLeftOut && !shape.isNullable && !isThere(shape, use) ? orNull(schema) : schema
    }
    return {
      type: 'object',
      description: describe(message, change),
      properties: Object.fromEntries(
        fields.map((shape) => [others.get(shape.name) ?? shape.name, toProperty(shape)]),
      ),
      ...(use !== 'answer' && !isOpen && { additionalProperties: false }),
      ...(required.length > 0 && { required }),
    }
  }

  /** The comments of the message and of the request's field that has it. */
  function describe({ typeName }: DescMessage, { holder }: MessageChange): string {
    const whole = holder && comments.get(`${holder.parent.typeName}.${holder.name}`)
    return [comments.get(typeName), whole].filter(Boolean).join(' ')
  }

  function ofField(field: DescField, use: Use): Schema {
    const { items, ...keywords } = use === 'answer' ? {} : toKeywords(field)
    const isList = field.fieldKind === 'list'
    // A change replaces a list as a whole.
    const one = ofOne(field, isList && use === 'change' ? 'creation' : use)
    const list = { type: 'array', items: { ...one, ...(items as Schema) } }
    const schema = { ...(isList ? list : one), ...keywords }
    const { isNullable, types } = findShape(field.parent).fields.find((shape) => shape.field === field)!
    const description = [
      comments.get(`${field.parent.typeName}.${field.name}`),
      types.length > 0 && `Only of type ${types.join(', ')}.`,
      ...(use === 'answer' ? [] : toSentences(field)),
    ]
    return {
      ...(isNullable && !(use === 'creation' && isRequired(field)) ? orNull(schema) : schema),
      description: description.filter(Boolean).join(' '),
    }
  }

  function ofOne(field: DescField, use: Use): Schema {
    if (field.enum) return { type: 'string', enum: listNames(field, use) }
    if (!field.message) return scalars[field.scalar as ScalarType] ?? {}
    if (field.message.typeName === TimestampSchema.typeName) return { type: 'string', format: 'date-time' }
    // A reference: generators make a class of each inline object, and openapi-python-client rejects two of one name.
    if (field.message.typeName === StructSchema.typeName) {
      components.JsonObject = { type: 'object', description: 'Any JSON object.' }
      return { $ref: '#/components/schemas/JsonObject' }
    }
    const only = findShape(field.message).bare
    if (only) return ofField(only, use)
    // If a rule of the field excludes types, its message has fewer forms here.
    const isNarrower = use !== 'answer' && toExcludedTypes(field).length > 0
    return isNarrower ? toSchema(field.message, use, { holder: field }) : ofMessage(field.message, use)
  }

  return { ofMessage, ofField, components }
}

/** `Project`, `ProjectCreation`, `ProjectChange`; `CreateKeyBody` for a request that is itself the body. */
function toSchemaName({ name }: DescMessage, use: Use): string {
  return name.endsWith('Request') ? name.replace(/Request$/, 'Body') : `${name}${suffix[use]}`
}

/** Enum names that are possible in a response or a request. */
function listNames(field: DescField, use: Use): string[] {
  const excluded = use === 'answer' ? [] : toExcluded(field).map((number) => enumName(field.enum!, number))
  return enumNames(field.enum!).filter((name) => !excluded.includes(name))
}

/** Whether the field is always present in responses, or required in creations. */
function isThere({ field, types, isNullable }: FieldShape, use: Use): boolean {
  if (use !== 'answer') return use === 'creation' && isRequired(field)
  return types.length === 0 && !(isNullable && findShape(field.parent).leavesOut)
}

function orNull(schema: Schema): Schema {
  if ('$ref' in schema || 'oneOf' in schema) return { anyOf: [schema, { type: 'null' }] }
  const values = schema.enum as string[] | undefined
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...values, null] }) }
}

/** Full name (`lectern.v1.Project.slug`, `lectern.v1.ProjectService.GetProject`) → its comment, without line breaks. */
export type Comments = ReadonlyMap<string, string>

const folder = new URL('../../proto/lectern/v1/', import.meta.url)
const packageName = 'lectern.v1'

const declaration =
  /^(?:message|enum|service|oneof) (\w+) \{|^rpc (\w+)|^(?:repeated |optional )?[\w.<>, ]+? (\w+) = \d+|^([A-Z][A-Z0-9_]*) = \d+/

/** Reads the comments of the whole contract. Throws if its files are missing. */
export function readContractComments(): Comments {
  const comments = new Map<string, string>()
  for (const file of readdirSync(folder)) {
    for (const [name, comment] of readComments(readFileSync(new URL(file, folder), 'utf8'))) {
      comments.set(`${packageName}.${name}`, comment)
    }
  }
  return comments
}

/**
 * Reads the comments of one file. Lines must be indented by two spaces per level.
 *
 *   // A page.
 *   message Page {
 *     // Its title.            →   Page: "A page.", Page.title: "Its title."
 *     string title = 1 [
 *       (a).b = {c: 1}
 *     ];
 *   }
 */
export function readComments(text: string): [string, string][] {
  const comments: [string, string][] = []
  let names: string[] = []
  let pending: string[] = []
  for (const line of text.split('\n')) {
    const comment = /^ *\/\/ ?(.*)$/.exec(line)?.[1]
    if (comment !== undefined) {
      pending.push(comment)
      continue
    }
    const name = declaration.exec(line.trim())?.slice(1).find(Boolean)
    if (name !== undefined) names = [...names.slice(0, line.search(/\S/) / 2), name]
    if (name !== undefined && pending.length > 0) comments.push([names.join('.'), pending.join(' ')])
    pending = []
  }
  return comments
}

const text: Schema = { type: 'string' }

export const sentence: Schema = { type: 'string', description: 'A sentence for a person.' }

export const names: Schema = {
  type: 'array',
  items: toObject({ uuid: text, name: text, type: text }),
}

export const oldConversation: Schema = toObject({
  messages: {
    type: 'array',
    items: toObject({
      content: { type: 'string', description: 'The text, in Markdown.' },
      is_human_message: { type: 'boolean', description: 'Whether the reader wrote it.' },
      uuid: text,
      feedback: { type: ['integer', 'null'], enum: [0, 1, null] },
      sources: { type: 'string', description: 'Pages that an answer rests on: lines of Markdown links.' },
    }),
  },
})

/** A project's settings under their names in v1, with the schemas of v2. */
export function toOldSettings(schemas: Schemas): Schema {
  const toSchema = (path: string) => {
    let [message, field]: [DescMessage | undefined, DescField | undefined] = [ProjectSchema, undefined]
    for (const part of path.split('.')) {
      field = message?.fields.find(({ name }) => name === part)
      message = field?.message
    }
    return schemas.ofField(field!, 'answer')
  }
  const properties = Object.entries(settingPaths).map(([name, path]) => [name, toSchema(path)])
  return toObject(Object.fromEntries(properties))
}

/** An object in which all properties are required. */
export function toObject(properties: Record<string, Schema>): Schema {
  return { type: 'object', required: Object.keys(properties), properties }
}
