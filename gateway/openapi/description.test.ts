// The descriptions of REST are valid OpenAPI 3.1, and describe what each row does.
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { restV1 } from '../rest-v1.ts'
import { restV2 } from '../rest-v2.ts'
import { describe as describeRows } from './description.ts'
import { readComments, readContractComments } from './schemas.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
const description = describeRows('v2', restV2, readContractComments()) as any
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
const old = describeRows('v1', restV1, readContractComments()) as any

it.each([
  ['v1', old],
  ['v2', description],
])('of %s is valid OpenAPI 3.1', async (_, description) => {
  const document = JSON.parse(JSON.stringify({ ...description, servers: [{ url: 'http://l.example' }] }))
  expect(await new Validator().validate(document)).toEqual({ valid: true })
})

it.each([
  ['v1', old],
  ['v2', description],
])('of %s has no dangling reference', (_, description) => {
  const text = JSON.stringify(description)
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    expect(description.components.schemas, name).toHaveProperty(name!)
  }
})

it('refers to objects of any shape by name, because generators reject two inline ones with one name', () => {
  const inline: unknown[] = []
  JSON.stringify(description.components.schemas.SourceCreation, (_, value) => {
    if ([value?.type].flat().includes('object') && !value.properties && !value.additionalProperties) {
      inline.push(value)
    }
    return value
  })
  expect(inline).toEqual([])
})

it('describes the items of a list in a change like those of a new list, because it replaces the list', () => {
  const { SearchConfigChange, ...others } = description.components.schemas
  const name = SearchConfigChange.properties.filters.items.$ref.split('/').at(-1)
  expect(others[name].required).toEqual(['title', 'url'])
})

it('requires no key where the restore token of a chat replaces it', () => {
  const { get, delete: erase } = description.paths['/api/v2/projects/{slug}/chats/{chat_uuid}/']
  expect(get.security).toEqual([{}, { apiKey: [] }])
  expect(get.description).toContain(
    'Permission: `chats_read`.\n\nThe restore token of the chat replaces a key.',
  )
  expect(erase.security).toEqual([{ apiKey: [] }])
})

it('has an operation with its own name and a description for each row', () => {
  const operations = restV2.map(({ path, method }) => description.paths[path][method.toLowerCase()])
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(restV2.length)
  for (const { description } of operations) expect(description).toMatch(/\w/)
})

it('describes what only v1 does', () => {
  const { get, post } = old.paths['/api/v1/projects/{slug}/sources/']
  expect(get.responses[200].content['application/json'].schema.type).toBe('array')
  expect(get.parameters.map(({ name }: { name: string }) => name)).toEqual(['slug'])
  expect(Object.keys(post.requestBody.content)).toEqual(['multipart/form-data'])
  const form = post.requestBody.content['multipart/form-data'].schema
  expect(Object.keys(form.properties).sort()).toEqual(
    'base_url files[] site_name site_zip sitemaps[] urls[]'.split(' '),
  )
  const { properties, additionalProperties } = old.components.schemas.SendMessageBody
  expect(Object.keys(properties)).toEqual(
    'project_slug chat_uuid message url email think_mode metadata'.split(' '),
  )
  expect(additionalProperties).toBeUndefined()
  expect(Object.keys(old.components.schemas.Error.properties)).toEqual(['error'])
  const statuses = Object.keys(old.paths['/api/v1/projects/{slug}/'].get.responses)
  expect(statuses).toContain('403')
  expect(statuses).not.toContain('401')
})

it('describes what a source returns and accepts', () => {
  const { Source, SourceCreation, SourceChange } = description.components.schemas
  expect(Source.properties.type.enum).toContain('hosted_site')
  expect(Source.properties.last_crawled_at.type).toEqual(['string', 'null'])
  expect(Source.properties).not.toHaveProperty('credentials')
  expect(SourceChange.properties).not.toHaveProperty('type')
  const byType = new Map(SourceCreation.oneOf.map((object: { title: string }) => [object.title, object]))
  expect([...byType.keys()]).toEqual(['url', 'site', 'sitemap', 'repository', 'openapi', 'confluence'])
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  for (const [type, { properties, required, additionalProperties }] of byType as Map<string, any>) {
    expect(properties.type, type).toMatchObject({ const: type })
    expect(required, type).toContain('type')
    expect(properties, type).not.toHaveProperty('uuid')
    expect(additionalProperties, type).toBe(false)
  }
})

it('describes the fields of each type of source, and their rules', () => {
  const { oneOf, description: rules } = description.components.schemas.SourceCreation
  const [url, site, , repository, openapi, confluence] = oneOf
  const own = ['name', 'type', 'url', 'credentials', 'max_connections', 'delay_ms']
  expect(Object.keys(url.properties)).toEqual(own)
  expect(site.properties).toHaveProperty('max_depth')
  expect(repository.properties).toHaveProperty('credentials')
  expect(openapi.properties).toHaveProperty('spec')
  expect(confluence.properties).toHaveProperty('space_key')
  expect(rules).toContain(
    '`url` is required for every type except openapi, which takes either `url` or `spec`',
  )
  expect(rules).toContain('ends in .xml or .xml.gz')
  expect(rules).toContain('`space_key` is required for confluence')
})

it('states the rules of the contract', () => {
  const { parameters } = description.paths['/api/v2/projects/{slug}/search/'].get
  const q = parameters.find(({ name }: { name: string }) => name === 'q')
  expect(q).toMatchObject({ required: true, schema: { type: 'string', minLength: 1, maxLength: 500 } })
  const { CreateKeyBody: key, SourceCreation, SubmitFeedbackBody: feedback } = description.components.schemas
  const site = SourceCreation.oneOf[1]
  expect(key.required).toContain('name')
  expect(key.properties.permissions).toMatchObject({ minItems: 1, maxItems: 100 })
  expect(key.properties.permissions.items.enum).toEqual(
    expect.arrayContaining(['sync_create', 'project_sync']),
  )
  expect(feedback.required).toEqual(['reaction'])
  expect(feedback.properties.reaction).toMatchObject({ type: 'integer', enum: [0, 1] })
  const { ProjectCreation: project } = description.components.schemas
  expect(project.properties.slug).toMatchObject({ pattern: '^[a-z0-9-]{1,64}$' })
  expect(project.properties.name).toMatchObject({ maxLength: 200, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' })
  expect(project.description).toContain('`name` is required')
  expect(site.properties.url).toMatchObject({ format: 'uri', maxLength: 2000 })
  expect(site.properties.include).toMatchObject({ items: { minLength: 1, maxLength: 500 } })
  expect(site.properties.max_pages).toMatchObject({ type: ['integer', 'null'], minimum: 1 })
})

it('requires a body if an empty one would be rejected', () => {
  const bodyOf = (path: string, { paths } = description) => paths[path].post.requestBody
  expect(bodyOf('/api/v2/keys/').required).toBe(true)
  expect(bodyOf('/api/v2/projects/{slug}/sources/').required).toBe(true)
  expect(bodyOf('/api/v2/projects/{slug}/chats/').required).toBe(true)
  expect(bodyOf('/api/v2/projects/{slug}/sync/')).not.toHaveProperty('required')
  expect(bodyOf('/api/v1/projects/{slug}/search/click/', old)).not.toHaveProperty('required')
})

it('declares null where it counts as absent, and never in a query', () => {
  const { chat_uuid, message, retrieval_mode } = description.components.schemas.SendMessageBody.properties
  expect(chat_uuid.type).toEqual(['string', 'null'])
  expect(retrieval_mode.enum).toEqual(['auto', 'instant', null])
  expect(message.type).toBe('string')
  for (const row of restV2) {
    const { parameters } = description.paths[row.path][row.method.toLowerCase()]
    for (const { schema, name } of parameters) expect([name, schema.type]).toEqual([name, expect.any(String)])
  }
})

it('lists the possible statuses, with their headers', () => {
  const responsesOf = (path: string, method: string) => description.paths[path][method].responses
  const { 401: noKey, 429: tooMuch, 503: away } = responsesOf('/api/v2/keys/', 'post')
  expect(noKey.headers).toHaveProperty('WWW-Authenticate')
  expect(tooMuch.headers).toHaveProperty('Retry-After')
  expect(away.headers).toHaveProperty('Retry-After')
  expect(responsesOf('/api/v2/keys/', 'get')).not.toHaveProperty('415')
  expect(responsesOf('/api/v2/team/invitations/accept/', 'post')).not.toHaveProperty('401')
  // Everything described is served.
  for (const row of restV2) expect(responsesOf(row.path, row.method.toLowerCase())).not.toHaveProperty('501')
})

it('mentions only terms of REST', () => {
  for (const each of [old, description]) {
    const texts = JSON.stringify(each).matchAll(/"(?:summary|description)":"(.*?)"/g)
    const foreign = [...texts]
      .map(([, text]) => text!)
      .filter((text) => /\bmask\b|\bRPC\b|ContinueMessage/i.test(text))
    expect(foreign).toEqual([])
  }
})

it('states permissions, and the responses of a list and a deletion', () => {
  const { get, post } = description.paths['/api/v2/projects/{slug}/sources/']
  expect(get.security).toEqual([{ apiKey: [] }])
  expect(post.description).toContain('Permission: `sources_create`.')
  const envelope = get.responses[200].content['application/json'].schema
  expect(Object.keys(envelope.properties)).toEqual(['count', 'next', 'previous', 'results'])
  expect(description.paths['/api/v2/projects/{slug}/search/'].get.security).toEqual([{}, { apiKey: [] }])
  expect(description.paths['/api/v2/keys/{key_uuid}/'].delete.responses[204]).not.toHaveProperty('content')
})

it('reads comments of nested declarations, and skips options', () => {
  const text = [
    '// A page.',
    'message Page {',
    '  option (bare) = true;',
    '  // Its title,',
    '  // in short.',
    '  optional string title = 1 [(x).cel = {',
    '    id: "a{"',
    '    // Not a declaration.',
    '    gte: 1',
    '  }];',
    '  repeated Page pages = 2;',
    '}',
    '// Verbs.',
    'service Pages {',
    '  // Gets one.',
    '  rpc GetPage(Page) returns (Page) {',
    '    option (access) = {permission: "p"};',
    '  }',
    '}',
  ]
  expect(readComments(text.join('\n'))).toEqual([
    ['Page', 'A page.'],
    ['Page.title', 'Its title, in short.'],
    ['Pages', 'Verbs.'],
    ['Pages.GetPage', 'Gets one.'],
  ])
})
