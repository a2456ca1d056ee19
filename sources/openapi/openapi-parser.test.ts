import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { openapi3, openapi31, swagger2, toBody, url } from '../../test/openapi/pets.ts'
import {
  checkFiles,
  type DescriptionFile,
  openapiParser,
  type Renderer,
  toDocuments,
} from './openapi-parser.ts'

const page = 'https://api.example.com/reference/'

/** Texts of the documents of a description, by title. */
function read(value: unknown, { renderer = 'redoc' as Renderer, others = [] as DescriptionFile[] } = {}) {
  const answer = toDocuments([{ url, body: toBody(value) }, ...others], { url: page, renderer, ownPages: '' })
  if (answer.kind !== 'documents') throw new Error(`${answer.kind} ${JSON.stringify(answer)}`)
  return new Map(
    answer.documents.map((document) => {
      const { sections } = openapiParser.parse(document)
      const texts = sections.map(({ heading, blocks }) => [
        heading,
        blocks.map(({ text }) => text).join('\n'),
      ])
      return [
        document.title,
        { url: document.url, sections: Object.fromEntries(texts) as Record<string, string> },
      ]
    }),
  )
}

const openapi3Titles = [
  'Pet Store',
  'GET /pets: List all pets',
  'POST /pets',
  'DELETE /pets/{id}',
  'Pet (schema)',
  'Owner (schema)',
]

test('makes an overview, and a document for each operation and schema', () => {
  expect([...read(openapi3).keys()]).toEqual(openapi3Titles)
  expect([...read(openapi31).keys()]).toContain('Webhook petSold (POST): A pet was sold')
  expect([...read(swagger2).keys()]).toEqual([
    'Pet Store',
    'GET /pets: List all pets',
    'POST /pets',
    'PUT /pets/{id}/photo',
    'Pet (schema)',
  ])
})

test('reads YAML like JSON', () => {
  expect(read(stringify(openapi31))).toEqual(read(openapi31))
})

test('the overview has servers, authentication and the introduction', () => {
  const { sections } = read(openapi3).get('Pet Store')!
  expect(sections['']).toBe('Sells pets.\nVersion: 1.2.0.\nServers: https://api.example.com/v1.')
  expect(sections.Paging).toBe('Lists come in pages.')
  expect(sections.Authentication).toBe('- token: HTTP authentication, bearer. Ask us for one.')
  expect(sections['Groups of operations']).toBe('- pets: All about pets.')
})

test('an operation has its parameters, responses and errors', () => {
  const { sections } = read(openapi3).get('GET /pets: List all pets')!
  expect(sections).toEqual({
    'List all pets': [
      'Pets come in the order of their names.',
      'GET https://api.example.com/v1/pets',
      'Operation: listPets. Group: pets. API: Pet Store.',
      'Authentication: token.',
    ].join('\n'),
    'Query parameters':
      '- limit (query parameter, integer): How many pets to return at one time. Minimum 1, maximum 100, default 20.',
    Responses:
      'Status 200: A page of pets. Content: array of Pet (application/json).\nFields: id, name, status, owner, tags.',
    Errors: [
      'Any other status: The request cannot be served. Content: object (application/json).',
      '- code (integer): Number of the error.',
      'Example:',
      '{\n  "code": 42\n}',
    ].join('\n'),
  })
})

test.each(['<pre>', '<!-- ', '<h2>Of its own</h2><div><details>', '# Heading', '~~~', '>'.repeat(20_000)])(
  'reads descriptions as Markdown, which hides nothing after them: %s',
  (opening) => {
    const info = {
      ...openapi3.info,
      description: `Sells **pets**, see [them](https://pets.example/).\n\n${opening}`,
    }
    const get = { ...openapi3.paths['/pets'].get, description: info.description }
    const documents = read({ ...openapi3, info, paths: { '/pets': { get } } })
    const [overview, operation] = [...documents.values()].map(({ sections }) => sections)
    expect(Object.keys(operation!)).toEqual(['List all pets', 'Query parameters', 'Responses', 'Errors'])
    expect(operation!['List all pets']).toContain('Operation: listPets.')
    expect(overview!.Authentication).toBe('- token: HTTP authentication, bearer. Ask us for one.')
    if (opening.length < 100) expect(overview!['']).toContain('Sells pets, see them.')
  },
)

test('a body has its fields, including nested ones without their own document', () => {
  const { sections } = read(openapi3).get('POST /pets')!
  expect(sections['Request body']).toBe(
    [
      'A body is required. Content type: application/json.',
      'Body: Pet.',
      '- id (integer (int64), required, read only)',
      '- name (string, required): What it is called. Maximum length 40.',
      '- status (string): Default available, one of available, sold.',
      '- owner (Owner)',
      '- tags (array of object)',
      '- tags[].label (string)',
    ].join('\n'),
  )
})

test('an operation has its deprecation, and the parameters of its path', () => {
  const { sections } = read(openapi3).get('DELETE /pets/{id}')!
  expect(sections['DELETE /pets/{id}']).toContain('This operation is deprecated.')
  expect(sections['DELETE /pets/{id}']).not.toContain('Authentication')
  expect(sections['Path parameters']).toBe('- id (path parameter, integer, required)')
})

test('a schema has its fields, even if it refers to itself', () => {
  const documents = read(openapi3)
  expect(documents.get('Pet (schema)')!.sections).toMatchObject({
    Pet: 'An animal for sale.\nType: object.',
    Examples: '{\n  "id": 7,\n  "name": "Rex"\n}',
  })
  expect(documents.get('Owner (schema)')!.sections['Fields of Owner']).toBe(
    '- email (string (email))\n- pets (array of Pet)',
  )
})

test('reads bodies and forms among the parameters of Swagger 2', () => {
  const documents = read(swagger2)
  expect(documents.get('POST /pets')!.sections['Request body']).toContain(
    '- name (string): What it is called.',
  )
  const { sections } = documents.get('PUT /pets/{id}/photo')!
  expect(sections['Request body']).toContain('- file (file, required): The photo itself.')
  expect(sections['PUT /pets/{id}/photo']).toContain('PUT https://api.example.com/v1/pets/{id}/photo')
  expect(documents.get('GET /pets: List all pets')!.sections['Query parameters']).toBe(
    '- limit (query parameter, integer): How many pets to return at one time. Maximum 100.',
  )
})

test.each<[Renderer, string[]]>([
  ['swagger-ui', ['#/pets/listPets', '#/pets/createPet', '#/default/delete__pets__id_', '#model-Pet']],
  [
    'redoc',
    [
      '#tag/pets/operation/listPets',
      '#tag/pets/operation/createPet',
      '#paths/~1pets~1{id}/delete',
      '#schema/Pet',
    ],
  ],
  ['scalar', ['#tag/pets/GET/pets', '#tag/pets/POST/pets', '#tag/default/DELETE/pets/{id}', '#model/pet']],
])('links to the anchors of %s', (renderer, anchors) => {
  const addresses = [...read(openapi3, { renderer }).values()].map((document) => document.url)
  expect(addresses.slice(0, 5)).toEqual([page, ...anchors.map((anchor) => page + anchor)])
})

test('gives operations of one anchor different addresses', () => {
  const twins = { get: { operationId: 'same', responses: {} }, put: { operationId: 'same', responses: {} } }
  const addresses = [...read({ ...openapi3, paths: { '/a': twins } }).values()].map(
    (document) => document.url,
  )
  expect(new Set(addresses).size).toBe(addresses.length)
})

const split = {
  ...openapi3,
  paths: { '/pets': { $ref: 'paths/pets.yaml' } },
}
const petsFile = 'https://api.example.com/docs/paths/pets.yaml'
const files: DescriptionFile[] = [
  {
    url: petsFile,
    body: toBody('get:\n  summary: Far away\n  responses:\n    "200":\n      $ref: ../responses.json#/Ok\n'),
  },
  {
    url: 'https://api.example.com/docs/responses.json',
    body: toBody({ Ok: { description: 'Found far away' } }),
  },
]

test('requests each file of a split description, and reads them as one', () => {
  const body = toBody(split)
  expect(checkFiles([{ url, body }])).toEqual({ kind: 'wanted', urls: [petsFile] })
  expect(checkFiles([{ url, body }, files[0]!])).toEqual({ kind: 'wanted', urls: [files[1]!.url] })
  expect(checkFiles([{ url, body }, ...files])).toMatchObject({ kind: 'checked', valid: true, operations: 1 })
  expect(read(split, { others: files }).get('GET /pets: Far away')!.sections.Responses).toBe(
    'Status 200: Found far away.',
  )
})

test('reports a file that could not be loaded at its reference', () => {
  const fault: DescriptionFile = { url: petsFile, fault: 'The server answered 404.' }
  expect(checkFiles([{ url, body: toBody(split) }, fault])).toMatchObject({
    valid: false,
    errors: [
      { path: 'paths./pets', message: '$ref paths/pets.yaml cannot be read: The server answered 404.' },
    ],
  })
})

const renderers: [Renderer, string][] = [
  ['redoc', '<!doctype html><body><redoc spec-url="../docs/openapi.json" expand></redoc>'],
  ['redoc', '<!doctype html><script>Redoc.init("/docs/openapi.json", {})</script>'],
  ['scalar', '<!doctype html><script id="api-reference" data-url="/docs/openapi.json"></script>'],
  [
    'scalar',
    "<!doctype html><script>Scalar.createApiReference('#app', { url: '/docs/openapi.json' })</script>",
  ],
  [
    'swagger-ui',
    '<html><script>window.ui = SwaggerUIBundle({\n url: "/docs/openapi.json",\n dom_id: "#a" })</script>',
  ],
]

test.each(renderers)('follows the page of %s to its description: %s', (renderer, html) => {
  expect(checkFiles([{ url: page, body: toBody(html) }])).toEqual({ kind: 'shown', renderer, url })
})
