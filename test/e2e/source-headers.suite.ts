// Headers and pacing of a source: a site that requires a key is read, and the key is sent to no other host.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LecternProcess, sharedLectern, syncToEnd } from './lectern-process.ts'
import { type Handler, htmlPage, openSite, type Site } from './site.ts'

const secret = 'Basic cmVhZGVyOnNlY3JldA=='
let lectern: LecternProcess
let site: Site
let other: Site
let slug: string
let base: string
let made = 0
/** Maximum number of requests that the site has received at the same time. */
let busiest: number
let busy = 0

const text = (about: string) => `A text about ${about} that is long enough to be a section of its own.`

/** The page for requests with the key, 401 for others. */
const behindKey =
  (page: Handler | string): Handler =>
  (request, response) => {
    busy += 1
    busiest = Math.max(busiest, busy)
    response.once('close', () => {
      busy -= 1
    })
    if (request.headers.authorization !== secret) return void response.writeHead(401).end()
    if (typeof page === 'function') return page(request, response)
    setImmediate(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page))
  }

beforeAll(async () => {
  other = await openSite({ '/in.html': htmlPage('Elsewhere', text('elsewhere')) })
  site = await openSite()
  const links = Array.from({ length: 12 }, (_, at) => `page${at}.html`)
  const all: Record<string, Handler | string> = {
    '/': htmlPage('Start', text('everything'), [...links, 'away.html', `${other.url}in.html`]),
    '/away.html': (_, response) => void response.writeHead(302, { location: `${other.url}in.html` }).end(),
    '/sitemap.xml': (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(
          `<urlset><url><loc>${site.url}page1.html</loc></url><url><loc>${other.url}in.html</loc></url></urlset>`,
        ),
  }
  for (const link of links) all[`/${link}`] = htmlPage(link, text(link))
  for (const [path, page] of Object.entries(all)) site.pages.set(path, behindKey(page))
  lectern = await sharedLectern()
})
afterAll(async () => {
  await site?.close()
  await other?.close()
})

beforeEach(async () => {
  slug = `site-${++made}`
  base = `/api/v2/projects/${slug}/`
  busiest = 0
  other.requests.length = 0
  await lectern.call('POST', '/api/v2/projects/', { name: slug, slug })
})

const add = async (source: Record<string, unknown>) => {
  const { status, body } = await lectern.call('POST', `${base}sources/`, source)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
const sync = () => syncToEnd(lectern, slug)
const headers = { Authorization: secret }

test('sends headers of a source only to its own host, and never returns them', async () => {
  const source = await add({ type: 'site', url: site.url, credentials: { headers } })
  expect(JSON.stringify(source)).not.toContain('Basic')
  expect(source).not.toHaveProperty('credentials')
  expect((await sync()).pages).toMatchObject({ added: 13 })
  await add({ type: 'sitemap', url: `${site.url}sitemap.xml`, credentials: { headers } })
  expect((await sync()).pages).toMatchObject({ added: 1 })
  expect(other.requests.map(({ path }) => path)).toContain('/in.html')
  for (const { headers } of other.requests) expect(headers.authorization).toBeUndefined()
  expect(lectern.output.join('\n')).not.toContain('Basic')
})

test('sends them in a recrawl and a test of an address, too; without them nothing is read', async () => {
  const { uuid } = await add({ type: 'site', url: site.url, credentials: { headers } })
  await sync()
  const url = `${site.url}page1.html`
  const tested = async (body: unknown) =>
    (await lectern.call('POST', `${base}test-url/`, { url, ...(body as object) })).body
  expect(await tested({ source_uuid: uuid })).toMatchObject({ outcome: 'indexed' })
  const open = { type: 'site', url: site.url }
  expect(await tested({ source: open })).toMatchObject({ outcome: 'failed', http_status: 401 })
  expect(await tested({ source: { ...open, credentials: { headers } } })).toMatchObject({
    outcome: 'indexed',
  })
  const { body } = await lectern.call('POST', `${base}recrawl/`, { url })
  const outcome = () => lectern.call('GET', `${base}recrawl/${body.uuid}/`)
  await expect.poll(async () => (await outcome()).body.status).toBe('unchanged')
  await lectern.call('PATCH', `${base}sources/${uuid}/`, { credentials: null })
  expect(await sync()).toMatchObject({ status: 'failed' })
})

test('reads a source with the configured number of connections', async () => {
  const source = { type: 'site', url: site.url, credentials: { headers }, max_connections: 1, delay_ms: 1 }
  expect(await add(source)).toMatchObject({ max_connections: 1, delay_ms: 1 })
  expect((await sync()).pages).toMatchObject({ added: 13 })
  expect(busiest).toBe(1)
})

test.each([
  [{ max_connections: 9 }, 'max_connections'],
  [{ max_connections: 0 }, 'max_connections'],
  [{ delay_ms: -1 }, 'delay_ms'],
  [{ credentials: { headers: { Host: 'a.example' } } }, 'credentials.headers.Host'],
  [{ credentials: { token: 'x' } }, 'credentials.token'],
])('rejects %j with its field', async (fields, field) => {
  const { status, body } = await lectern.call('POST', `${base}sources/`, {
    type: 'site',
    url: site.url,
    ...fields,
  })
  expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
  expect(body.error).toContain(field)
})
