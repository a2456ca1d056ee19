// Rules of the contract (buf.validate) as keywords of JSON Schema: lengths, ranges and sizes. Rules written as
// expressions are told by the field's comment.
import { type DescField, getOption } from '@bufbuild/protobuf'
import { type FieldRules, field as fieldOption } from '../../gen/buf/validate/validate_pb.js'

/** Keywords of JSON Schema. */
export type Schema = Record<string, unknown>

/** Keywords for the field's value. */
export function keywordsOf(field: DescField): Schema {
  return toKeywords(getOption(field, fieldOption))
}

/** Whether a request without the field is refused. */
export function isRequired(field: DescField): boolean {
  const { required, type } = getOption(field, fieldOption)
  const isText = field.fieldKind === 'scalar' && type.case === 'string'
  return required || (isText && !isOptional(field) && type.value.minLen > 0n)
}

function isOptional({ proto }: DescField): boolean {
  return proto.proto3Optional
}

function toKeywords({ type }: FieldRules): Schema {
  switch (type.case) {
    case 'string':
      return present({
        minLength: number(type.value.minLen),
        maxLength: number(type.value.maxLen),
        enum: type.value.in.length > 0 ? type.value.in : undefined,
      })
    case 'int32': {
      const { greaterThan, lessThan } = type.value
      return present({
        minimum: greaterThan.case === 'gte' ? greaterThan.value : undefined,
        maximum: lessThan.case === 'lte' ? lessThan.value : undefined,
        enum: type.value.in.length > 0 ? type.value.in : undefined,
      })
    }
    case 'repeated': {
      const items = type.value.items && toKeywords(type.value.items)
      return present({
        minItems: number(type.value.minItems),
        maxItems: number(type.value.maxItems),
        uniqueItems: type.value.unique || undefined,
        items: items && Object.keys(items).length > 0 ? items : undefined,
      })
    }
    default:
      return {}
  }
}

function number(value: bigint): number | undefined {
  return value > 0n ? Number(value) : undefined
}

function present(keywords: Schema): Schema {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined))
}
