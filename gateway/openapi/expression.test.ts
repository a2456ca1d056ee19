// Rules of the contract that are expressions, as a reader of the description sees them.
import { type DescMessage, getOption } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { field as fieldOption, message as messageOption } from '../../gen/buf/validate/validate_pb.js'
import { restV1 } from '../rest-v1.ts'
import { restV2 } from '../rest-v2.ts'
import { excludedBy, toDemand } from './expression.ts'

it.each([
  ["this.matches('^[a-z]+$')", { pattern: '^[a-z]+$' }],
  ["!this.matches('[\\\\x00-\\\\x1f]')", { pattern: '^[^\\x00-\\x1f]*$' }],
  ["this.matches('^(?i)https?://[^\\\\s]+$')", { pattern: '^[hH][tT][tT][pP][sS]?://[^\\s]+$' }],
  ["!this.contains('&') && !this.contains('#')", { allOf: [{ pattern: '^[^&]*$' }, { pattern: '^[^#]*$' }] }],
  ['this.size() <= 253', { maxLength: 253 }],
  ["this.name != ''", { required: ['name'], properties: { name: { minLength: 1, not: { type: 'null' } } } }],
  [
    'this.a.size() + this.b.size() > 0',
    {
      anyOf: [
        { required: ['a'], properties: { a: { minItems: 1 } } },
        { required: ['b'], properties: { b: { minItems: 1 } } },
      ],
    },
  ],
  ["this.url.matches('^a') || !has(this.url)", { properties: { url: { pattern: '^a' } } }],
  ['this.size() > 3', null],
  ['this.type != 6 || has(this.url)', null],
])('%s', (rule, demand) => {
  expect(toDemand(rule)).toEqual(demand)
})

it.each([
  [6, { required: ['url'], properties: { url: { not: { type: 'null' } } } }],
  [5, true],
])('of type %i a rule on types asks its own', (type, demand) => {
  expect(toDemand('this.type != 6 || has(this.url)', type)).toEqual(demand)
  expect(toDemand('!(this.type in [5, 7]) || this.type != 5', type)).toBe(type !== 5)
})

it('every rule of what REST takes can be told', () => {
  const seen = new Set<DescMessage>()
  const untold: string[] = []
  const visit = (message: DescMessage) => {
    if (seen.has(message)) return
    seen.add(message)
    for (const { expression } of getOption(message, messageOption).cel) judge(expression)
    for (const field of message.fields) {
      const { cel, type } = getOption(field, fieldOption)
      const ofItems = type.case === 'repeated' ? (type.value.items?.cel ?? []) : []
      for (const { expression } of [...cel, ...ofItems]) judge(expression)
      if (field.message) visit(field.message)
    }
  }
  const judge = (expression: string) => {
    if (toDemand(expression, 1) === null && excludedBy(expression) === null) untold.push(expression)
  }
  for (const { call } of [...restV2, ...restV1]) visit(call.input)
  expect(untold).toEqual([])
})
