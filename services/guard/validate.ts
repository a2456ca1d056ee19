// Validates requests by the contract's rules (buf.validate), and update masks and types by the contract's own options
// (options.proto). Errors name fields as in REST.
import { type DescMethod, getOption, type Message } from '@bufbuild/protobuf'
import { type Path, pathToString } from '@bufbuild/protobuf/reflect'
import { createValidator, type Violation } from '@bufbuild/protovalidate'
import { bare } from '../../gen/lectern/v1/options_pb.js'
import { DomainError, type FieldErrors, type Reason } from '../errors.ts'
import { foreignFields, maskFaults } from '../field-rules.ts'
import { findOptions } from './admit.ts'

/** Replacements for messages that do not continue a sentence that begins with the field. */
const phrases: [RegExp, string][] = [
  [/^value is required$/, 'is required'],
  [/^must be at least 1 characters$/, 'is required'],
  [/^must contain at least 1 item\(s\)$/, 'must name at least one'],
  [/^must not be in list \[0\]$/, 'is required'],
  [/^must be in list \[(.*)\]$/, 'must be one of $1'],
  [/^value is empty, which is not .*/, 'is required'],
  [/^value must be /, 'must be '],
  [/^repeated value must contain unique items$/, 'must not name the same thing twice'],
]

/** Creates a validator. It throws DomainError invalid or read_only, and compiles the rules of each message type once. */
export function createValidate(): (method: DescMethod, message: Message) => void {
  const validator = createValidator()

  return (method, message) => {
    const { body } = findOptions(method)
    const result = validator.validate(method.input, message)
    if (result.kind === 'error') throw result.error
    const fields: FieldErrors = {}
    for (const violation of result.violations ?? []) {
      fields[fieldPath(violation, body)] = [phrase(violation.message)]
    }
    refuse('invalid', fields)
    refuse('invalid', foreignFields(method.input, message, body))
    const faults = maskFaults(method.input, message, body)
    refuse('invalid', faults.unknown)
    refuse('read_only', faults.readOnly)
  }
}

function refuse(reason: Reason, fields: FieldErrors): void {
  const [first] = Object.entries(fields)
  if (first) throw new DomainError(reason, `${first[0]} ${first[1].join(' and ')}.`, fields)
}

/** A longer list of names is grouped by the first word. */
const maxInLine = 20

function phrase(message: string): string {
  const [, names] = /^must be in list \[(.*)\]$/.exec(message) ?? []
  const list = names?.split(', ') ?? []
  if (list.length > maxInLine) {
    const groups = Object.values(Object.groupBy(list, (name) => name.split('_')[0]!))
    return `must be one of ${groups.map((group) => group!.join(', ')).join('; ')}`
  }
  for (const [words, better] of phrases) {
    if (words.test(message)) return message.replace(words, better)
  }
  return message
}

/**
 * Returns the path as in REST: without the request's field that is the body, without the one field of a bare message, and
 * with the field that the id of a rule on a message names (options.proto).
 *
 *   project.config.search.filters[0].url   →  config.search.filters[0].url
 *   projects.slugs                         →  projects
 *   source, broken rule `url.sitemap`      →  url
 */
function fieldPath({ field: path, ruleId, rule }: Violation, body: string): string {
  const shown = path.filter(
    (step, at) => !(isField(step) && ((at === 0 && step.name === body) || inBare(step))),
  )
  const last = path.at(-1)
  const custom = rule.length === 0 || rule.some((step) => isField(step) && step.name === 'cel')
  const onMessage =
    last === undefined || (isField(last) && last.message !== undefined && last.fieldKind === 'message')
  const named = custom && onMessage ? ruleId.split('.')[0]! : ''
  return [pathToString(shown), named].filter((part) => part !== '').join('.') || body
}

type Step = Path[number]
type FieldStep = Extract<Step, { kind: 'field' }>

function isField(step: Step): step is FieldStep {
  return step.kind === 'field'
}

function inBare(step: FieldStep): boolean {
  return getOption(step.parent, bare)
}
