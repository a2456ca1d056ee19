// Malicious or invalid descriptions are rejected with a sentence, or read within limits.
import { expect, test } from 'vitest'
import { openapi3, toBody, url } from '../../test/openapi/pets.ts'
import { checkFiles, toDocuments } from './openapi-parser.ts'

const page = { url, renderer: 'redoc' as const, ownPages: '' }
const check = (body: Uint8Array | string) => checkFiles([{ url, body: toBody(body) }])

function bytesOf(body: string | Uint8Array) {
  return typeof body === 'string' ? toBody(body) : body
}

/** Nine lists, each nine times the one before: 9^9 values. */
const laughs = [
  'a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]',
  ...Array.from({ length: 8 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]`),
].join('\n')

const refused: [what: string, body: string | Uint8Array, sentence: RegExp][] = [
  ['nothing', '', /^It is empty\.$/],
  ['an image', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0]), /^It is no text in UTF-8\.$/],
  ['a page', '<!doctype html><p>Not found', /^It is a page or XML/],
  ['broken JSON', '{\n  "openapi": "3.0.0",\n}', /^It is no valid JSON, line 3\.$/],
  ['truncated JSON', '{"openapi": ', /^It is no valid JSON: it breaks off\.$/],
  ['broken YAML', 'openapi: 3.0.0\ninfo: [', /^It is no valid YAML: .+ at line 2, column \d+\.$/],
  ['a list', '[1]', /^It holds no object\.$/],
  ['a word', 'hello', /^It holds no object\.$/],
  ['aliases that multiply', `openapi: 3.0.0\n${laughs}`, /^Its YAML aliases/],
  ['an undefined alias', 'openapi: *none', /^(Its YAML aliases|It is no valid YAML)/],
  ['nested lists in YAML', `openapi: ${'['.repeat(100_000)}`, /^(Its values are nested|It is no valid YAML)/],
  ['a future version', '{"openapi": "4.0.0"}', /^It follows version 4\.0\.0: OpenAPI 3 and Swagger 2.0/],
  ['another object', '{"a": 1}', /^It has neither the field openapi nor swagger: /],
  [
    'YAML above its limit',
    `openapi: 3.0.0\nx: ${'a'.repeat(10 * 1024 * 1024)}`,
    /^It is larger than the 10 MB/,
  ],
]

test.each(refused)('rejects %s', (_what, body, sentence) => {
  expect(() => checkFiles([{ url, body: bytesOf(body) }])).toThrow(sentence)
})

test('reads JSON of any depth', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  expect(check(`{"openapi":"3.0.0","x-deep":${deep}}`)).toMatchObject({ kind: 'checked', valid: false })
  const schema = `${'{"items":'.repeat(50_000)}{}${'}'.repeat(50_000)}`
  const body = `{"openapi":"3.0.0","components":{"schemas":{"Deep":${schema}}}}`
  expect(toDocuments([{ url, body: toBody(body) }], page)).toMatchObject({ kind: 'documents' })
})

const circles: Record<string, object> = {
  'of itself': { A: { $ref: '#/components/schemas/A' } },
  'of two': { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } },
  'through fields': {
    A: {
      properties: { a: { $ref: '#/components/schemas/A' }, b: { items: { $ref: '#/components/schemas/A' } } },
    },
  },
  'through all that it is': { A: { allOf: [{ $ref: '#/components/schemas/A' }, { properties: { b: {} } }] } },
  'through what it may be': {
    A: {
      oneOf: [{ $ref: '#/components/schemas/A' }],
      anyOf: [{ allOf: [{ $ref: '#/components/schemas/A' }] }],
    },
  },
}

test.each(Object.keys(circles))('makes a document of a schema that is a loop %s', (name) => {
  const description = { ...openapi3, components: { ...openapi3.components, schemas: circles[name] } }
  const answer = toDocuments([{ url, body: toBody(description) }], page)
  expect(answer.kind === 'documents' && answer.documents.map(({ title }) => title)).toContain('A (schema)')
})

test('reads schemas that multiply within limits', () => {
  const schemas: Record<string, object> = { s0: { properties: { x: { type: 'string' } } } }
  for (let at = 1; at <= 200; at++) {
    const before = { $ref: `#/components/schemas/s${at - 1}` }
    schemas[`s${at}`] = {
      allOf: Array(20).fill(before),
      anyOf: Array(20).fill({ allOf: [before], properties: { [`p${at}`]: { properties: { y: before } } } }),
    }
  }
  const description = { ...openapi3, components: { ...openapi3.components, schemas } }
  const answer = toDocuments([{ url, body: toBody(description) }], page)
  const lengths = answer.kind === 'documents' ? answer.documents.map(({ body }) => body.length) : []
  expect(lengths.length).toBeGreaterThan(200)
  expect(Math.max(...lengths)).toBeLessThan(1_000_000)
})

test('does not multiply large parts that are referenced often', () => {
  const text = 'long '.repeat(20_000)
  const names = Array.from({ length: 100 }, (_, at) => `field${at}`)
  const named = (value: object) => Object.fromEntries(names.map((name) => [name, value]))
  const schemas = {
    Large: { properties: named({ description: 'x '.repeat(700) }), required: names, example: text },
  }
  const large = {
    description: text,
    headers: named({ $ref: '#/components/headers/Large' }),
    content: {
      'a/b': {
        schema: { items: { allOf: [{ $ref: '#/components/schemas/Large' }] } },
        example: { [text]: text },
      },
    },
  }
  const responses = Object.fromEntries(
    names.map((_, at) => [200 + at, { $ref: '#/components/responses/Large' }]),
  )
  const post = { summary: text, operationId: text, tags: [text], requestBody: large, responses }
  const paths = Object.fromEntries(names.slice(0, 8).map((name) => [`/${name}`, { $ref: '#/x-item' }]))
  const components = { schemas, responses: { Large: large }, headers: { Large: { description: text } } }
  const answer = toDocuments(
    [{ url, body: toBody({ ...openapi3, paths, components, 'x-item': { post } }) }],
    page,
  )
  const lengths = answer.kind === 'documents' ? answer.documents.map(({ body }) => body.length) : []
  expect(lengths).toHaveLength(10)
  expect(Math.max(...lengths)).toBeLessThan(3 * 1024 * 1024)
})

test('omits text beyond the limit', () => {
  const parameters = Array.from({ length: 300 }, (_, at) => ({
    name: `p${at}`,
    in: 'query',
    schema: {},
    description: 'x '.repeat(700),
  }))
  const item = { parameters, get: { responses: {} } }
  const paths = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`/p${at}`, { $ref: '#/x-item' }]))
  const answer = toDocuments([{ url, body: toBody({ ...openapi3, paths, 'x-item': item }) }], page)
  if (answer.kind !== 'documents') throw new Error(answer.kind)
  expect(answer.isCut).toBe(true)
  const bytes = answer.documents.reduce((sum, { body }) => sum + body.length, 0)
  expect(bytes).toBeLessThan(65 * 1024 * 1024)
})

test.each(['file:///etc/passwd', 'ftp://a.example/x', 'http://user:pass@a.example/x.json'])(
  'never requests %s',
  (reference) => {
    const answer = check(JSON.stringify({ ...openapi3, paths: { '/a': { $ref: reference } } }))
    expect(answer).toMatchObject({
      kind: 'checked',
      errors: [{ path: 'paths./a', message: `$ref ${reference} is no address that can be read.` }],
    })
  },
)

test('rejects relative references in a description without an address', () => {
  const body = toBody({ ...openapi3, paths: { '/a': { $ref: 'a.json' } } })
  expect(checkFiles([{ url: '', body }])).toMatchObject({ kind: 'checked', errors: [{ path: 'paths./a' }] })
})

test('permits references to a hundred files', () => {
  const paths = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`/p${at}`, { $ref: `p${at}.json` }]),
  )
  const body = toBody({ ...openapi3, paths })
  const answer = checkFiles([{ url, body }])
  if (answer.kind !== 'wanted') throw new Error(answer.kind)
  expect(answer.urls).toHaveLength(100)
  const files = answer.urls.map((each) => ({ url: each, body: toBody({}) }))
  const errors = checkFiles([{ url, body }, ...files])
  expect(errors).toMatchObject({ kind: 'checked', valid: false })
  expect(JSON.stringify(errors)).toContain('is one file too many')
})
