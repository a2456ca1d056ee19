// API descriptions in a complete Lectern: validation, and sources that are indexed and used in answers.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openapi3, openapi31, swagger2 } from '../openapi/pets.ts'
import { type LecternProcess, sharedLectern, syncToEnd } from './lectern-process.ts'
import { openSite, type Site } from './site.ts'

let lectern: LecternProcess
let site: Site
beforeAll(async () => {
  ;[site, lectern] = await Promise.all([openSite(), sharedLectern()])
})
afterAll(() => site.close())

const validate = (body: object) => lectern.call('POST', '/api/v2/openapi/validate/', body)

test.each([
  ['3.0.3', openapi3, 3],
  ['3.1.0', openapi31, 4],
  ['2.0', swagger2, 3],
])('a description of version %s is valid', async (version, spec, operations) => {
  const expected = { valid: true, version, title: 'Pet Store', operations, errors: [] }
  expect(await validate({ spec })).toEqual({ status: 200, body: expected })
  site.pages.set('/api.json', JSON.stringify(spec))
  expect(await validate({ url: `${site.url}api.json` })).toEqual({ status: 200, body: expected })
})

test('reports an error with its path', async () => {
  const { status, body } = await validate({ spec: { ...openapi3, paths: { '/a': { get: {} } } } })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    valid: false,
    operations: 1,
    errors: [{ path: 'paths./a.get.responses', message: 'is required' }],
  })
})

test.each([
  ['/none.json', undefined, 'The server answered 404.'],
  ['/page', '<!doctype html><p>Sign in', 'It is a page or XML, and no JSON or YAML.'],
  ['/large.json', `{"openapi": "3.0.0", "x": "${'x'.repeat(21 * 1024 * 1024)}"}`, /larger|large/],
])('rejects %s', async (path, text, sentence) => {
  if (text !== undefined) site.pages.set(path, text)
  const { status, body } = await validate({ url: site.url + path.slice(1) })
  expect(status).toBe(200)
  const message = typeof sentence === 'string' ? sentence : expect.stringMatching(sentence)
  expect(body).toEqual({
    valid: false,
    version: null,
    title: null,
    operations: 0,
    errors: [{ path: '', message }],
  })
  expect((await validate({ spec: openapi3 })).body.valid).toBe(true)
})

test('fetches references to other documents, except from forbidden addresses', async () => {
  site.pages.set('/pets.json', JSON.stringify(openapi3.paths['/pets']).replaceAll('#/', 'api.json#/'))
  const paths = {
    '/pets': { $ref: 'pets.json' },
    '/secret': { $ref: 'http://169.254.169.254/latest/meta-data' },
  }
  site.pages.set('/api.json', JSON.stringify({ ...openapi3, paths }))
  const { body } = await validate({ url: `${site.url}api.json` })
  expect(body).toMatchObject({ valid: false, operations: 2, errors: [{ path: 'paths./secret' }] })
  expect(body.errors[0].message).toMatch(
    /^\$ref http:\/\/169\.254\.169\.254\/latest\/meta-data cannot be read: /,
  )
})

test('requires a key that may add sources, and either url or spec', async () => {
  const ask = (authorization: string) =>
    fetch(`${lectern.baseUrl}/api/v2/openapi/validate/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify({ spec: openapi3 }),
    })
  expect((await ask('')).status).toBe(401)
  const reader = await lectern.call('POST', '/api/v2/keys/', { name: 'R', permissions: ['sources_read'] })
  expect((await ask(`Api-Key ${reader.body.key}`)).status).toBe(403)
  const editor = await lectern.call('POST', '/api/v2/keys/', { name: 'E', permissions: ['sources_create'] })
  expect((await ask(`Api-Key ${editor.body.key}`)).status).toBe(200)
  for (const body of [{}, { url: site.url, spec: {} }, { url: 'ftp://a.example/' }])
    expect((await validate(body)).status).toBe(400)
})

test('adds and changes an inline description and never returns it', async () => {
  await lectern.call('POST', '/api/v2/projects/', { name: 'Whole', slug: 'whole' })
  const sources = '/api/v2/projects/whole/sources/'
  const add = (fields: object) => lectern.call('POST', sources, { type: 'openapi', ...fields })
  const withoutServers = { ...openapi3, servers: [] }
  const refused: [fields: object, field: string][] = [
    [{}, 'spec'],
    [{ spec: openapi3, url: site.url }, 'spec'],
    [{ spec: { asyncapi: '3.0.0' } }, 'spec'],
    [{ spec: openapi3, base_url: 'ftp://a.example/' }, 'base_url'],
  ]
  for (const [fields, field] of refused) {
    const { status, body } = await add(fields)
    expect([status, Object.keys(body.fields ?? {})], JSON.stringify(body)).toEqual([400, [field]])
  }
  const servers = [{ url: 'https://api.example.com/v1' }]
  const added = await add({ spec: { ...openapi3, servers } })
  expect(added).toMatchObject({ status: 201, body: { name: 'Pet Store', url: null, base_url: null } })
  expect(added.body).not.toHaveProperty('spec')
  expect((await add({ spec: withoutServers, base_url: 'https://docs.example.com/' })).status).toBe(201)

  const one = `${sources}${added.body.uuid}/`
  const { '/pets/{id}': _, ...paths } = openapi3.paths
  expect((await lectern.call('PATCH', one, { spec: { swagger: '1.2' } })).status).toBe(400)
  expect((await lectern.call('PATCH', one, { spec: null })).status).toBe(400)
  expect((await lectern.call('PATCH', one, { spec: { ...openapi3, servers, paths } })).status).toBe(200)
  // Schemas that occur in both are indexed once.
  expect(await syncToEnd(lectern, 'whole')).toMatchObject({
    status: 'completed',
    pages: { added: 9 },
  })
  const found = await lectern.call('GET', '/api/v2/projects/whole/search/?q=listPets')
  const urls = found.body.results.map(({ url }: { url: string }) => url)
  expect(urls).toContain('https://api.example.com/v1#/pets/listPets')
  expect(urls).toContain('https://docs.example.com/#/pets/listPets')
})

test('finds and answers from a source of it', async () => {
  site.pages.set('/store.json', JSON.stringify(openapi3))
  await lectern.call('POST', '/api/v2/projects/', { name: 'Store', slug: 'store' })
  const url = `${site.url}store.json`
  const added = await lectern.call('POST', '/api/v2/projects/store/sources/', { type: 'openapi', url })
  expect(added).toMatchObject({ status: 201, body: { type: 'openapi', url, page_count: 0 } })
  expect(await syncToEnd(lectern, 'store')).toMatchObject({ status: 'completed' })

  const found = await lectern.call('GET', '/api/v2/projects/store/search/?q=listPets')
  expect(found.body.results[0]).toMatchObject({
    page_title: 'GET /pets: List all pets',
    url: `${url}#/pets/listPets`,
    source_type: 'openapi',
  })
  for (const [q, title] of [
    ['list all pets', 'List all pets'],
    ['GET /pets', 'GET /pets'],
  ]) {
    const { body } = await lectern.call('GET', `/api/v2/projects/store/search/?q=${encodeURIComponent(q!)}`)
    expect(body.results[0]).toMatchObject({ title, url: `${url}#/pets/listPets` })
  }
  const message = 'Which parameter limits the number of pets that GET /pets returns?'
  const chat = await lectern.call('POST', '/api/v2/projects/store/chats/', { message })
  expect(chat.body.ai_message.message).toContain('limit')
  expect(chat.body.ai_message.sources[0].url).toBe(`${url}#/pets/listPets`)
})
