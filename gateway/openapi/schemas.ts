// JSON Schemas of the contract's messages as REST shows and takes them.
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { StructSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { FieldAccess } from '../../gen/lectern/v1/options_pb.js'
import { enumNames, type FieldShape, shapeOf } from '../json/shape.ts'
import type { Comments } from './contract-comments.ts'
import { isRequired, keywordsOf, type Schema } from './rules.ts'

/** An answer, the body of a creation, or the body of a change. */
export type Use = 'answer' | 'creation' | 'change'

export interface MessageChange {
  /** Fields that are told elsewhere. */
  without?: ReadonlySet<string>
  /** Names in the body → names of fields. */
  renamed?: Record<string, string> | undefined
}

export interface Schemas {
  /** Schema of a message, by reference to `components`. */
  ofMessage(message: DescMessage, use: Use, change?: MessageChange): Schema
  /** Schema of a field's values, with its comment. */
  ofField(field: DescField, use: Use): Schema
  /** Every schema that was referred to, by name. */
  components: Record<string, Schema>
}

const suffix: Record<Use, string> = { answer: '', creation: 'Creation', change: 'Change' }

/** Access that keeps a field out. */
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

const leaves: Record<string, Schema> = {
  [TimestampSchema.typeName]: { type: 'string', format: 'date-time' },
  [StructSchema.typeName]: { type: 'object' },
}

/** `isOpen`: whether bodies may have fields that nobody knows. */
export function createSchemas(comments: Comments, { isOpen = false } = {}): Schemas {
  const components: Record<string, Schema> = {}

  function ofMessage(message: DescMessage, use: Use, change: MessageChange = {}): Schema {
    const name = nameOf(message, use)
    if (!components[name]) {
      components[name] = {}
      components[name] = toObject(message, use, change)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function toObject(message: DescMessage, use: Use, { without, renamed = {} }: MessageChange): Schema {
    const others = new Map(Object.entries(renamed).map(([shown, name]) => [name, shown]))
    const fields = shapeOf(message).fields.filter(
      ({ access, name }) => !left[use].includes(access) && !without?.has(name),
    )
    const required = fields.filter((shape) => isThere(shape, use)).map(({ name }) => others.get(name) ?? name)
    return {
      type: 'object',
      description: comments.get(message.typeName),
      properties: Object.fromEntries(
        fields.map(({ field, name }) => [others.get(name) ?? name, ofField(field, use)]),
      ),
      ...(use !== 'answer' && !isOpen && { additionalProperties: false }),
      ...(required.length > 0 && { required }),
    }
  }

  function ofField(field: DescField, use: Use): Schema {
    const { items, ...keywords } = use === 'answer' ? {} : keywordsOf(field)
    const one = ofOne(field, use)
    const list = { type: 'array', items: { ...one, ...(items as Schema) } }
    const schema = { ...(field.fieldKind === 'list' ? list : one), ...keywords }
    const { isNullable, types } = shapeOf(field.parent).fields.find((shape) => shape.field === field)!
    const description = [
      comments.get(`${field.parent.typeName}.${field.name}`),
      types.length > 0 && `Only of type ${types.join(', ')}.`,
    ]
    return {
      ...(isNullable ? orNull(schema) : schema),
      description: description.filter(Boolean).join(' '),
    }
  }

  function ofOne(field: DescField, use: Use): Schema {
    if (field.enum) return { type: 'string', enum: enumNames(field.enum) }
    if (!field.message) return scalars[field.scalar as ScalarType] ?? {}
    const only = shapeOf(field.message).bare
    return leaves[field.message.typeName] ?? (only ? ofField(only, use) : ofMessage(field.message, use))
  }

  return { ofMessage, ofField, components }
}

/** `Project`, `ProjectCreation`, `ProjectChange`; `CreateKeyBody` for a request that is a body itself. */
function nameOf({ name }: DescMessage, use: Use): string {
  return name.endsWith('Request') ? name.replace(/Request$/, 'Body') : `${name}${suffix[use]}`
}

/** Whether every answer has the field, or every creation must. */
function isThere({ field, types }: FieldShape, use: Use): boolean {
  return use === 'answer' ? types.length === 0 : use === 'creation' && isRequired(field)
}

function orNull(schema: Schema): Schema {
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] }
  const values = schema.enum as string[] | undefined
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...values, null] }) }
}
