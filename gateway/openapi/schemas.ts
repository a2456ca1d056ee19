// JSON Schemas of the contract's messages as REST shows and takes them.
import { type DescEnumValue, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { StructSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { FieldAccess } from '../../gen/lectern/v1/options_pb.js'
import { enumName, enumNames, type FieldShape, shapeOf } from '../json/shape.ts'
import type { Comments } from './contract-comments.ts'
import { fold } from './fold.ts'
import { demandOf, excludedOf, isRequired, keywordsOf, type Schema } from './rules.ts'

/** An answer, the body of a creation, or the body of a change. */
export type Use = 'answer' | 'creation' | 'change'

interface MessageChange {
  /** Fields that are told elsewhere. */
  without?: ReadonlySet<string>
  /** Names in the body → names of fields. */
  renamed?: Record<string, string> | undefined
  /** The field of a request that holds the message, whose rules count, too. */
  holder?: DescField | null
  /** Whether null counts as left out, for every field. */
  isNullLeftOut?: boolean
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
      components[name] = toSchema(message, use, change)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** Where which fields there are depends on the type, a creation is one of several objects. */
  function toSchema(message: DescMessage, use: Use, change: MessageChange): Schema {
    const { fields } = shapeOf(message)
    const type = fields.find(({ name, field }) => name === 'type' && field.enum)?.field
    const isOfTypes = fields.some(({ types }) => types.length > 0)
    if (use !== 'creation' || !type || !isOfTypes) {
      const demand = use === 'creation' ? demandOf(message, change.holder ?? null) : true
      return fold(toObject(message, use, change), demand, change)
    }
    const values = type.enum!.values.filter(({ number }) => number !== 0)
    const objects = values.flatMap((value) => toObjectOfType(message, change, type, value) ?? [])
    return { description: comments.get(message.typeName), oneOf: objects }
  }

  /** Null where nothing of the type is made so. */
  function toObjectOfType(
    message: DescMessage,
    change: MessageChange,
    type: DescField,
    { number }: DescEnumValue,
  ): Schema | null {
    const demand = demandOf(message, change.holder ?? null, number)
    if (demand === false) return null
    const name = enumName(type.enum!, number)!
    const { properties, required, ...object } = toObject(message, 'creation', change, name)
    const own = { ...(properties as Schema), type: { type: 'string', const: name } }
    const mustBe = [...new Set(['type', ...((required as string[]) ?? [])])]
    return fold({ title: name, ...object, properties: own, required: mustBe }, demand, change)
  }

  function toObject(message: DescMessage, use: Use, change: MessageChange, type?: string): Schema {
    const { without, renamed = {}, isNullLeftOut = false } = change
    const others = new Map(Object.entries(renamed).map(([shown, name]) => [name, shown]))
    const fields = shapeOf(message).fields.filter(
      ({ access, name, types }) =>
        !left[use].includes(access) &&
        !without?.has(name) &&
        (type === undefined || types.length === 0 || types.includes(type)),
    )
    const required = fields.filter((shape) => isThere(shape, use)).map(({ name }) => others.get(name) ?? name)
    const ofOwn = ({ field, ...shape }: FieldShape) => {
      const schema = ofField(field, use)
      return isNullLeftOut && !shape.isNullable && !isThere({ field, ...shape }, use)
        ? orNull(schema)
        : schema
    }
    return {
      type: 'object',
      description: comments.get(message.typeName),
      properties: Object.fromEntries(
        fields.map((shape) => [others.get(shape.name) ?? shape.name, ofOwn(shape)]),
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
      ...(isNullable && !(use === 'creation' && isRequired(field)) ? orNull(schema) : schema),
      description: description.filter(Boolean).join(' '),
    }
  }

  function ofOne(field: DescField, use: Use): Schema {
    if (field.enum) return { type: 'string', enum: namesOf(field, use) }
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

/** Names that an answer can have, or a request. */
function namesOf(field: DescField, use: Use): string[] {
  const excluded = use === 'answer' ? [] : excludedOf(field).map((number) => enumName(field.enum!, number))
  return enumNames(field.enum!).filter((name) => !excluded.includes(name))
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
