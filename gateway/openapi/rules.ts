// Rules of the contract (buf.validate) as keywords of JSON Schema: lengths, ranges, sizes, forms, and expressions as far as
// JSON Schema can say them. Those that it cannot say are told by the field's comment.
import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf'
import {
  type FieldRules,
  field as fieldOption,
  message as messageOption,
  type Rule,
} from '../../gen/buf/validate/validate_pb.js'
import { both, type Demand, excludedBy, type Schema, toDemand } from './expression.ts'

export type { Schema } from './expression.ts'

/** What rules of these ids ask for has a name in JSON Schema, too. */
const formats: Record<string, string> = { web_address: 'uri', date: 'date', schedule: 'cron', regex: 're2' }

/** Keywords for the field's value. */
export function keywordsOf(field: DescField): Schema {
  const rules = getOption(field, fieldOption)
  const isText = field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING
  return { ...(rules.required && isText && { minLength: 1 }), ...toKeywords(rules) }
}

/** Whether a request without the field is refused. */
export function isRequired(field: DescField): boolean {
  const { required, type } = getOption(field, fieldOption)
  if (required) return true
  if (isOptional(field)) return false
  if (type.case === 'string') return type.value.minLen > 0n || type.value.wellKnown.case !== undefined
  if (type.case === 'enum') return type.value.notIn.includes(0)
  return type.case === 'repeated' && type.value.minItems > 0n
}

/** Numbers of the field's enum that a request may not name. */
export function excludedOf(field: DescField): number[] {
  const { type, cel } = getOption(field, fieldOption)
  const notIn = type.case === 'enum' ? type.value.notIn : []
  return [...notIn, ...cel.flatMap(({ expression }) => excludedBy(expression) ?? [])]
}

/** What expressions on the message as a whole ask of it; false: there is none of this type. */
export function demandOf(message: DescMessage, holder: DescField | null, type?: number): Demand {
  const own = getOption(message, messageOption).cel
  const given = holder ? getOption(holder, fieldOption).cel : []
  return toWhole([...own, ...given], type)
}

function isOptional({ proto }: DescField): boolean {
  return proto.proto3Optional
}

function toKeywords(rules: FieldRules): Schema {
  const formatOf = rules.cel.map(({ id }) => formats[id]).find(Boolean)
  const form: Demand = formatOf === undefined ? true : { format: formatOf }
  const demand = both(toWhole(rules.cel), form)
  return { ...plainKeywords(rules), ...(typeof demand === 'object' && demand) }
}

function toWhole(rules: readonly Rule[], type?: number): Demand {
  return rules.reduce<Demand>(
    (whole, { expression }) => both(whole, toDemand(expression, type) ?? true),
    true,
  )
}

function plainKeywords({ type }: FieldRules): Schema {
  switch (type.case) {
    case 'string':
      return present({
        minLength: number(type.value.minLen),
        maxLength: number(type.value.maxLen),
        enum: type.value.in.length > 0 ? type.value.in : undefined,
        format: type.value.wellKnown.case,
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
