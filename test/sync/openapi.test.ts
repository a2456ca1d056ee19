// Sources of type openapi on real drivers: the pages of a description, and of one that has changed, is broken or gone.
import { expect, onTestFinished, test } from 'vitest'
import { type Handler, openSite } from '../e2e/site.ts'
import { openapi3 } from '../openapi/pets.ts'
import { credentials, type Lab, openLab } from './lab.ts'

let lab: Lab

const path = '/docs/openapi.json'

/** Serves the description, and adds a source for it. */
async function open(description: unknown, { at = path }: { at?: string } = {}) {
  lab = await openLab()
  serve(description, at)
  await lab.addSource({ type: 'openapi', url: `${lab.site.url.slice(0, -1)}${at}` })
}

function serve(description: unknown, at = path) {
  lab.site.pages.set(at, typeof description === 'string' ? description : JSON.stringify(description))
}

async function pages() {
  return lab.store.pages.scan(lab.project, null, 1_000)
}

/** Fragments of the pages' addresses, and their titles. */
async function titles() {
  const found = (await pages()).map(({ url, title }) => [new URL(url).hash, title] as const)
  return Object.fromEntries(found.sort())
}

const known = {
  '': 'Pet Store',
  '#/pets/listPets': 'GET /pets: List all pets',
  '#/pets/createPet': 'POST /pets',
  '#/default/delete__pets__id_': 'DELETE /pets/{id}',
  '#model-Pet': 'Pet (schema)',
  '#model-Owner': 'Owner (schema)',
}

test('indexes each operation and each schema as a page', async () => {
  await open(openapi3)
  expect((await lab.sync()).pages).toMatchObject({ discovered: 6, added: 6, failed: 0, skipped: 0 })
  expect(await titles()).toEqual(known)
  // The description is read once, and robots.txt applies to pages only.
  expect(lab.site.requests.map((request) => request.path)).toEqual([path])
})

test('does not index an unchanged description again, and only the differences of a changed one', async () => {
  await open(openapi3)
  await lab.sync()
  expect((await lab.sync()).pages).toMatchObject({ unchanged: 6, added: 0, updated: 0 })

  const { '/pets/{id}': _, ...paths } = structuredClone(openapi3.paths)
  paths['/pets'].get.summary = 'List some pets'
  serve({ ...openapi3, paths })
  expect((await lab.sync()).pages).toMatchObject({ unchanged: 4, updated: 1, removed: 1 })
  const { '#/default/delete__pets__id_': __, ...others } = known
  expect(await titles()).toEqual({ ...others, '#/pets/listPets': 'GET /pets: List some pets' })
})

test('finds the description from a renderer’s page, and links to its anchors', async () => {
  await open('<!doctype html><redoc spec-url="openapi.json"></redoc>', { at: '/docs/' })
  serve(openapi3)
  await lab.sync()
  expect((await pages()).map(({ url }) => url)).toContain(`${lab.site.url}docs/#tag/pets/operation/listPets`)
})

const dead: Handler = (_, response) => response.writeHead(500).end()

test.each<[what: string, then: string | Handler, sentence: string]>([
  ['is missing', dead, 'The server answered 500.'],
  ['is broken', '{"openapi": ', 'It is no valid JSON: it breaks off.'],
  ['is nested too deeply', `openapi: 3.0.0\nx: ${'{'.repeat(20_000)}`, 'Its values are nested too deeply.'],
])('if the description %s, its pages remain and the run continues', async (_what, then, sentence) => {
  await open(openapi3)
  await lab.addSource()
  lab.writePages(['a.html'])
  await lab.sync()
  lab.site.pages.set(path, then)
  const run = await lab.sync()
  expect(run).toMatchObject({ status: 'completed', pages: { failed: 0, removed: 0 } })
  expect((await pages()).map(({ title }) => title)).toEqual(
    expect.arrayContaining([...Object.values(known), 'a.html']),
  )
  const errors = (await lab.eventsOf(run)).filter(({ level }) => level === 'error')
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining(`The API description could not be read. ${sentence}`),
  ])
})

test('reads an inline description without requests, and links to its server', async () => {
  lab = await openLab()
  const spec = { ...openapi3, servers: [{ url: 'https://api.example.com/v1/' }] }
  const source = { type: 'openapi' as const, url: '', identity: 'whole' }
  await lab.addSource({ ...source, options: { spec: JSON.stringify(spec) } })
  expect((await lab.sync()).pages).toMatchObject({ added: 6 })
  expect((await pages()).map(({ url }) => url)).toContain('https://api.example.com/v1#/pets/listPets')
  expect(lab.site.requests).toEqual([])
})

test('results link to the base address if there is one', async () => {
  lab = await openLab()
  serve(openapi3)
  const url = `${lab.site.url.slice(0, -1)}${path}`
  await lab.addSource({ type: 'openapi', url, options: { baseUrl: 'https://docs.example.com/api/' } })
  await lab.sync()
  expect((await pages()).map((page) => page.url)).toContain('https://docs.example.com/api/#/pets/listPets')
})

test('an interrupted run continues with the same description', async () => {
  await open(openapi3)
  const run = await lab.begin()
  await lab.restart()
  expect((await lab.ended(run)).pages).toMatchObject({ added: 6, failed: 0 })
})

test('sends credentials as the named header to the host of the description only, and decrypts them only for their source', async () => {
  lab = await openLab()
  const other = await openSite({ '/pets.json': JSON.stringify(openapi3.paths['/pets']) })
  onTestFinished(other.close)
  const paths = { '/pets': { $ref: `${other.url}pets.json` }, '/own': { $ref: 'own.json' } }
  serve({ ...openapi3, paths })
  lab.site.pages.set('/docs/own.json', '{"get": {"responses": {}}}')
  const url = `${lab.site.url.slice(0, -1)}${path}`
  const uuid = 'b0a4ff3e-76f2-4f0e-8f6e-0a6f3a5b1c09'
  const sealed = credentials.seal(uuid, { header: 'X-Token', value: 'hunter2' })
  const source = await lab.addSource({ uuid, type: 'openapi', url, credentials: sealed })
  const run = await lab.sync()
  const asked = () => lab.site.requests.map(({ path, headers }) => [path, headers['x-token']])
  expect(asked()).toEqual([
    [path, 'hunter2'],
    ['/docs/own.json', 'hunter2'],
  ])
  expect(other.requests.map(({ headers }) => headers['x-token'])).toEqual([undefined])
  expect(JSON.stringify(await lab.eventsOf(run))).not.toContain('hunter')
  const count = (await pages()).length

  const foreign = credentials.seal('another source', { header: 'X-Token', value: 'hunter2' })
  await lab.store.sources.update({ ...source, credentials: foreign, revision: 2 })
  expect((await lab.sync()).status).toBe('failed')
  expect(asked()).toHaveLength(2)
  expect((await lab.store.sources.get(lab.project, uuid))!.lastError).toMatch(/LECTERN_SECRET/)
  expect(await pages()).toHaveLength(count)
})
