import { expect, test } from 'vitest'
import { openapi3, toBody, url } from '../../test/openapi/pets.ts'
import { maxFaults } from './check.ts'
import { checkFiles } from './openapi-parser.ts'

const check = (value: unknown) => checkFiles([{ url, body: toBody(value) }])

/** The description of the pets with one change in `paths./pets.get`. */
function withGet(change: object) {
  return { ...openapi3, paths: { '/pets': { get: { ...openapi3.paths['/pets'].get, ...change } } } }
}

const get = 'paths./pets.get'
const parameter = { name: 'a', in: 'query', schema: {} }

const faulty: [path: string, message: string, description: object][] = [
  ['info', 'is required', { ...openapi3, info: undefined }],
  ['info.version', 'is required', { ...openapi3, info: { title: 'T' } }],
  ['paths', 'is required', { ...openapi3, paths: undefined }],
  ['paths', 'is required, or else webhooks or components', { openapi: '3.1.0', info: openapi3.info }],
  ['paths', 'must be an object', { ...openapi3, paths: [] }],
  ['paths.pets', 'must begin with a slash', { ...openapi3, paths: { pets: {} } }],
  ['paths./a', 'must be an object', { ...openapi3, paths: { '/a': 1 } }],
  [
    'paths./a.fetch',
    'is neither a method nor a field of a path',
    { ...openapi3, paths: { '/a': { fetch: {} } } },
  ],
  ['paths./a.get', 'must be an object', { ...openapi3, paths: { '/a': { get: 'x' } } }],
  [`${get}.responses`, 'is required', withGet({ responses: undefined })],
  [
    `${get}.responses.ok`,
    'must be a status such as 200 or 4XX, or default',
    withGet({ responses: { ok: { description: '' } } }),
  ],
  [`${get}.responses.200.description`, 'is required', withGet({ responses: { 200: {} } })],
  [`${get}.parameters`, 'must be a list', withGet({ parameters: {} })],
  [`${get}.parameters[0].name`, 'is required', withGet({ parameters: [{ in: 'query', schema: {} }] })],
  [
    `${get}.parameters[0].in`,
    'must be one of query, header, path, cookie, querystring',
    withGet({ parameters: [{ ...parameter, in: 'body' }] }),
  ],
  [`${get}.parameters[0].schema`, 'is required', withGet({ parameters: [{ name: 'a', in: 'query' }] })],
  [
    `${get}.parameters[1]`,
    'is the second query parameter a',
    withGet({ parameters: [parameter, parameter] }),
  ],
  [
    `${get}.parameters[0].required`,
    'must be true for a path parameter',
    withGet({ parameters: [{ ...parameter, in: 'path' }] }),
  ],
  [
    'paths./a/{b}.get.parameters',
    'must have the path parameter b',
    { ...openapi3, paths: { '/a/{b}': { get: { responses: {} } } } },
  ],
  [`${get}.requestBody.content`, 'is required', withGet({ requestBody: {} })],
  [
    `${get}.parameters[0]`,
    '$ref #/components/parameters/none leads nowhere.',
    withGet({ parameters: [{ $ref: '#/components/parameters/none' }] }),
  ],
  [
    'paths./b.get.operationId',
    'is the id of another operation',
    {
      ...openapi3,
      paths: {
        '/a': { get: { operationId: 'x', responses: {} } },
        '/b': { get: { operationId: 'x', responses: {} } },
      },
    },
  ],
]

test.each(faulty)('%s %s', (path, message, description) => {
  expect(check(description)).toMatchObject({ valid: false, errors: [{ path, message }] })
})

test('reads names with a meaning in JavaScript like others', () => {
  const text = JSON.stringify({ ...openapi3, paths: {} }).replace(
    '"paths":{}',
    `"paths":{"/__proto__":{"get":{"responses":{"200":{"description":"","content":{"constructor":{"schema":{"$ref":"#/components/schemas/__proto__"}}}}}}}}`,
  )
  const withSchema = text.replace(
    '"schemas":{',
    '"schemas":{"__proto__":{"properties":{"hasOwnProperty":{"type":"string"}}},',
  )
  expect(check(withSchema)).toMatchObject({ valid: true, operations: 1 })
  expect(check(text)).toMatchObject({ valid: false })
  expect(({} as { properties?: unknown }).properties).toBeUndefined()
})

test('reports the first of many errors', () => {
  const paths = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`bad${at}`, {}]))
  const answer = check({ ...openapi3, paths })
  expect(answer.kind === 'checked' && answer.errors.length).toBe(maxFaults)
})
