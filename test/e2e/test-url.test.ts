// The test of an address: what a crawl would do with it, by the same rules, and nothing of the project changes.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LecternProcess, runEnded, startLectern } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

let lectern: LecternProcess
let site: Site
let other: Site
let base: string
let saved: string

const text = (about: string) => `A text about ${about} that is long enough to be a section of its own.`

beforeAll(async () => {
  other = await openSite({ '/': htmlPage('Other', text('elsewhere')) })
  site = await openSite({
    '/robots.txt': 'User-agent: *\nDisallow: /secret.html\n',
    '/': htmlPage('Start', text('everything'), ['a.html', 'new.html']),
    '/a.html': htmlPage('Page A', text('apples')),
    '/copy.html': htmlPage('Page A', text('apples')),
    '/noindex.html':
      '<title>Hidden</title><meta name="robots" content="noindex"><h1>Hidden</h1><p>Not for an index.</p>',
    '/canonical.html': `<link rel="canonical" href="/a.html">${htmlPage('Canonical', text('canons'))}`,
    '/broken.html': (_, response) => void response.writeHead(500).end(),
    '/moved.html': (_, response) => void response.writeHead(301, { location: '/a.html' }).end(),
    '/image.html': (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
    '/empty.html': '<title>Empty</title>',
    '/long.html': htmlPage('Long', 'word '.repeat(10_000)),
    '/new.html': htmlPage('New', text('news'), ['a.html']),
    '/large.html': (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/html', 'content-length': '99999999' }).write('x'),
  })
  lectern = await startLectern()
  base = '/api/v2/projects/tested/'
  await lectern.call('POST', '/api/v2/projects/', { name: 'Tested' })
  const source = { type: 'site', url: site.url, exclude: ['**/old/**'] }
  saved = (await lectern.call('POST', `${base}sources/`, source)).body.uuid
  const run = (await lectern.call('POST', `${base}sync/`)).body.uuid
  expect((await runEnded(lectern, 'tested', run)).status).toBe('completed')
}, 60_000)
afterAll(async () => {
  await lectern?.remove()
  await site?.close()
  await other?.close()
})

const ask = (body: unknown) => lectern.call('POST', `${base}test-url/`, body)
const at = (path: string) => new URL(path, site.url).href

test.each([
  ['robots', 'secret.html', 'skipped', null],
  ['noindex', 'noindex.html', 'skipped', 200],
  ['canonical', 'canonical.html', 'skipped', 200],
  ['duplicate', 'copy.html', 'skipped', 200],
  ['redirect', 'moved.html', 'skipped', 301],
  ['gone', 'none.html', 'skipped', 404],
  ['excluded', 'old/a.html', 'skipped', null],
  ['no_content', 'image.html', 'skipped', null],
  ['no_content', 'empty.html', 'skipped', 200],
  ['http_5xx', 'broken.html', 'failed', 500],
  ['too_large', 'large.html', 'failed', null],
])('%s is found at %s', async (reason, path, outcome, httpStatus) => {
  const { status, body } = await ask({ url: at(path), source_uuid: saved })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({
    outcome,
    reason,
    http_status: httpStatus,
    message: expect.stringMatching(/\w/),
  })
})

test('a page is shown as it would be indexed', async () => {
  expect((await ask({ url: at('new.html'), source_uuid: saved })).body).toEqual({
    outcome: 'indexed',
    reason: null,
    message: expect.stringMatching(/^A crawl would index the page with \d/),
    http_status: 200,
    title: 'New',
    headings: ['New'],
    text: expect.stringContaining('A text about news'),
    links: [at('a.html')],
  })
  const { body } = await ask({ url: at('long.html'), source_uuid: saved })
  expect(body.text.length).toBe(10_000)
  // What a page that is not indexed holds is shown, too.
  expect((await ask({ url: at('noindex.html'), source_uuid: saved })).body).toMatchObject({ title: 'Hidden' })
})

test('settings that are not saved decide, and with a saved source its new globs', async () => {
  const source = { type: 'site', url: site.url, include: ['**/b*'] }
  expect((await ask({ url: at('new.html'), source })).body).toMatchObject({ reason: 'excluded' })
  const globs = { source_uuid: saved, source: { exclude: ['**/new*'] } }
  expect((await ask({ url: at('new.html'), ...globs })).body).toMatchObject({ reason: 'excluded' })
  expect((await ask({ url: at('old/x.html'), ...globs })).body).toMatchObject({ reason: 'gone' })
})

test('an address outside of the source is not asked for, and one in the own network is refused', async () => {
  const before = other.requests.length
  expect((await ask({ url: other.url, source_uuid: saved })).body).toMatchObject({
    ...{ outcome: 'outside', reason: null, http_status: null, title: null, text: '', links: [] },
  })
  expect(other.requests).toHaveLength(before)
  const url = 'http://169.254.169.254/latest/meta-data/'
  expect((await ask({ url, source: { type: 'url', url } })).body).toMatchObject({
    ...{ outcome: 'failed', reason: 'blocked_address', text: '' },
  })
})

test('nothing of the project changes', async () => {
  const state = async () => [
    (await lectern.call('GET', `${base}pages/?limit=100`)).body,
    (await lectern.call('GET', `${base}sources/`)).body,
    (await lectern.call('GET', `${base}syncs/`)).body,
  ]
  const before = await state()
  await ask({ url: at('new.html'), source: { type: 'site', url: site.url } })
  await ask({ url: at('a.html'), source_uuid: saved })
  expect(await state()).toEqual(before)
})

test.each([
  [{}, 'url'],
  [{ url: 'ftp://a.example/' }, 'url'],
  [{ url: 'https://a.example/' }, 'source'],
  [{ url: 'https://a.example/', source: { type: 'openapi', url: 'https://a.example/' } }, 'source.type'],
  [{ url: 'https://a.example/', source: { type: 'site', url: 'https://u:p@a.example/' } }, 'source.url'],
])('%j names what is wrong', async (body, field) => {
  const answer = await ask(body)
  expect([answer.status, Object.keys(answer.body.fields ?? {})]).toEqual([400, [field]])
})
