// Rules of the contract (buf.validate) as keywords of JSON Schema: lengths, ranges, sizes, formats and patterns. A rule
// without a keyword becomes a sentence in the description.
import { type DescField, getOption, ScalarType } from '@bufbuild/protobuf'
import {
  type FieldRules,
  field as fieldOption,
  message as messageOption,
  type Rule,
} from '../../gen/buf/validate/validate_pb.js'

export type Schema = Record<string, unknown>

/** Id of a rule → its format. */
const formats: Record<string, string> = { web_address: 'uri', date: 'date', schedule: 'cron', regex: 're2' }

export function toKeywords(field: DescField): Schema {
  const rules = getOption(field, fieldOption)
  const isText = field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING
  return { ...(rules.required && isText && { minLength: 1 }), ...ruleKeywords(rules) }
}

/** Whether a request without the field is refused. */
export function isRequired(field: DescField): boolean {
  const { required, type } = getOption(field, fieldOption)
  if (required) return true
  if (field.proto.proto3Optional) return false
  if (type.case === 'string') return type.value.minLen > 0n || type.value.wellKnown.case !== undefined
  if (type.case === 'enum') return type.value.notIn.includes(0)
  return type.case === 'repeated' && type.value.minItems > 0n
}

/** Numbers of the field's enum that a request may not name: `this != 2`. */
export function toExcluded(field: DescField): number[] {
  const { type, cel } = getOption(field, fieldOption)
  const notIn = type.case === 'enum' ? type.value.notIn : []
  return [...notIn, ...cel.flatMap(({ expression }) => numbersIn(/^this != (\d+)$/, expression))]
}

/** Types that cannot be created: `!(this.type in [7, 8])`. `holder`: the field of the request that has the message. */
export function toExcludedTypes(holder: DescField | null): number[] {
  const rules = holder ? getOption(holder, fieldOption).cel : []
  return rules.flatMap(({ expression }) => numbersIn(/^!\(this\.type in \[([\d, ]+)\]\)$/, expression))
}

/** The field's rules without a keyword, as sentences: `Must not contain & or #.` */
export function toSentences(field: DescField): string[] {
  const { cel, type } = getOption(field, fieldOption)
  const ofItems = type.case === 'repeated' ? (type.value.items?.cel ?? []) : []
  const own = [...cel, ...ofItems].filter((rule) => !formats[rule.id] && toPatterns(rule).includes(null))
  // The id of a rule on a whole message is the field at fault.
  const ofMessage = getOption(field.parent, messageOption).cel.filter(({ id }) => id === field.name)
  return [...own, ...ofMessage].map(({ message }) => `${message[0]!.toUpperCase()}${message.slice(1)}.`)
}

function ruleKeywords(rules: FieldRules): Schema {
  const patterns = rules.cel.flatMap((rule) => toPatterns(rule).filter((pattern) => pattern !== null))
  return present({
    ...plainKeywords(rules),
    format: rules.cel.map(({ id }) => formats[id]).find(Boolean) ?? textFormat(rules),
    pattern: patterns.length === 1 ? patterns[0] : undefined,
    allOf: patterns.length > 1 ? patterns.map((pattern) => ({ pattern })) : undefined,
  })
}

function plainKeywords({ type }: FieldRules): Schema {
  switch (type.case) {
    case 'string':
      return {
        minLength: number(type.value.minLen),
        maxLength: number(type.value.maxLen),
        enum: type.value.in.length > 0 ? type.value.in : undefined,
      }
    case 'int32': {
      const { greaterThan, lessThan } = type.value
      return {
        minimum: greaterThan.case === 'gte' ? greaterThan.value : undefined,
        maximum: lessThan.case === 'lte' ? lessThan.value : undefined,
        enum: type.value.in.length > 0 ? type.value.in : undefined,
      }
    }
    case 'repeated': {
      const items = type.value.items && ruleKeywords(type.value.items)
      return {
        minItems: number(type.value.minItems),
        maxItems: number(type.value.maxItems),
        uniqueItems: type.value.unique || undefined,
        items: items && Object.keys(items).length > 0 ? items : undefined,
      }
    }
    default:
      return {}
  }
}

function textFormat({ type }: FieldRules): string | undefined {
  return type.case === 'string' ? type.value.wellKnown.case : undefined
}

/**
 * The pattern of each part of the rule, or null if the part is not a pattern.
 *
 *   this.matches('^[a-z]+$')           →  ^[a-z]+$
 *   !this.matches('[\\x00-\\x1f]')     →  ^[^\x00-\x1f]*$
 */
function toPatterns({ expression }: Rule): (string | null)[] {
  return expression.split(' && ').map((part) => {
    const [, negation, quoted] = /^(!?)this\.matches\('(.*)'\)$/.exec(part) ?? []
    if (quoted === undefined || quoted.includes('(?i)')) return null
    const pattern = quoted.replaceAll('\\\\', '\\')
    if (negation === '') return pattern
    const [, characters] = /^\[([^\]^][^\]]*)\]$/.exec(pattern) ?? []
    return characters === undefined ? null : `^[^${characters}]*$`
  })
}

function numbersIn(form: RegExp, expression: string): number[] {
  return form.exec(expression)?.[1]?.split(',').map(Number) ?? []
}

function number(value: bigint): number | undefined {
  return value > 0n ? Number(value) : undefined
}

function present(keywords: Schema): Schema {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined))
}
