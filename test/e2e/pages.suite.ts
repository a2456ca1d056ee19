// The list of pages and the lookup of an address, after syncs of a site that has every reason to exclude a page.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LecternProcess, sharedLectern, syncToEnd } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

let lectern: LecternProcess
let site: Site
let base: string

const text = (about: string) =>
  `A text about ${about} that is long enough to be indexed as a section of its own.`
const broken = (status: number) => (_: unknown, response: import('node:http').ServerResponse) =>
  void response.writeHead(status).end()

beforeAll(async () => {
  site = await openSite({
    '/robots.txt': 'User-agent: *\nDisallow: /secret.html\n',
    '/': htmlPage('Start', text('everything'), [
      'a.html',
      'b.html',
      'secret.html',
      'noindex.html',
      'gone.html',
      'broken.html',
      'moved.html',
      'old/x.html',
    ]),
    '/a.html': htmlPage('Page A', text('apples'), ['b.html', 'unread.html']),
    // Only b.html links to its copy, so that it is read first. Of two pages read in parallel, either could be the original.
    '/b.html': htmlPage('Page B', text('bears'), ['copy.html']),
    '/copy.html': htmlPage('Page B', text('bears'), ['copy.html']),
    '/noindex.html': '<meta name="robots" content="noindex"><p>Hidden</p>',
    '/broken.html': broken(500),
    '/moved.html': (_, response) => void response.writeHead(301, { location: '/b.html' }).end(),
    '/unread.html': htmlPage('Unread', text('ducks')),
    '/lonely.html': htmlPage('Lonely', text('cats')),
  })
  lectern = await sharedLectern()
  base = '/api/v2/projects/paged/'
  await lectern.call('POST', '/api/v2/projects/', { name: 'Paged' })
  await lectern.call('POST', `${base}sources/`, {
    type: 'site',
    name: 'The site',
    url: site.url,
    exclude: ['**/old/**'],
  })
  await sync()
})
afterAll(() => site?.close())

async function sync() {
  const { uuid, status } = await syncToEnd(lectern, 'paged')
  expect(status).toBe('completed')
  return uuid
}

const list = async (query = '') => {
  const { status, body } = await lectern.call('GET', `${base}pages/?limit=100&${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.results).toHaveLength(body.count)
  return body.results.map(({ url, status, reason }: Record<string, string>) =>
    [url!.slice(site.url.length - 1), status, ...(reason ? [reason] : [])].join(' '),
  )
}
const lookup = async (path: string) =>
  (await lectern.call('GET', `${base}pages/lookup/?url=${encodeURIComponent(new URL(path, site.url).href)}`))
    .body

const indexed = ['/ indexed', '/a.html indexed', '/b.html indexed', '/unread.html indexed']
const skipped = [
  '/copy.html skipped duplicate',
  '/gone.html skipped gone',
  '/moved.html skipped redirect',
  '/noindex.html skipped noindex',
  '/old/x.html skipped excluded',
  '/secret.html skipped robots',
]

test('lists every address that a run reached, with its outcome', async () => {
  const all = await list()
  expect(all[0]).toBe('/broken.html failed http_5xx')
  expect(all.slice(1, 7).toSorted()).toEqual(skipped)
  expect(all.slice(7)).toEqual(indexed)
})

test('filters the list by status, reason, prefix and source', async () => {
  expect(await list('status=indexed')).toEqual(indexed)
  expect((await list('status=skipped')).toSorted()).toEqual(skipped)
  expect(await list('status=failed')).toEqual(['/broken.html failed http_5xx'])
  expect(await list('status=pending')).toEqual([])
  expect(await list('reason=robots')).toEqual(['/secret.html skipped robots'])
  expect((await list(`url=${encodeURIComponent(`${site.url}b`)}`)).toSorted()).toEqual([
    '/b.html indexed',
    '/broken.html failed http_5xx',
  ])
  const { uuid } = (await lectern.call('GET', `${base}sources/`)).body.results[0]
  expect(await list(`source_uuid=${uuid}`)).toHaveLength(11)
  expect(await list('source_uuid=00000000-0000-4000-8000-000000000000')).toEqual([])
  expect(await list('status=unknown')).toEqual([])
})

test.each(['status', 'reason'])('rejects an unknown %s', async (filter) => {
  const wrong = await lectern.call('GET', `${base}pages/?${filter}=lost`)
  expect([wrong.status, Object.keys(wrong.body.fields)]).toEqual([400, [filter]])
})

test('treats an empty filter as absent', async () => {
  expect(await list('status=&reason=&url=&source_uuid=')).toEqual(await list())
  const chats = await lectern.call('GET', `${base}chats/?outcome=&q=&start_date=&end_date=`)
  expect([chats.status, chats.body.count]).toEqual([200, 0])
})

test('pages through the list', async () => {
  const whole = (await lectern.call('GET', `${base}pages/?limit=100`)).body.results
  const rows = []
  for (let next = `${lectern.baseUrl}${base}pages/?limit=4`; next !== null; ) {
    const { body } = await lectern.call('GET', next.slice(lectern.baseUrl.length))
    expect(body.count).toBe(whole.length)
    rows.push(...body.results)
    next = body.next
  }
  expect(rows).toEqual(whole)
})

test('looks up an indexed page with its sections and the pages that link to it', async () => {
  const page = await lookup('b.html')
  expect(page).toMatchObject({
    url: `${site.url}b.html`,
    title: 'Page B',
    status: 'indexed',
    reason: null,
    language: 'en',
    http_status: 200,
    canonical: null,
    redirects: [],
    embedded: 0,
    linked_from: [site.url, `${site.url}a.html`],
    sections: [{ title: 'Page B', url: `${site.url}b.html#top`, characters: expect.any(Number) }],
    events: [{ type: 'page_added' }],
    explanation: 'The page is in the index with 1 section, of which 0 are embedded.',
  })
  expect(page.content_hash).toMatch(/^[0-9a-f]{64}$/)
  expect(page.source_uuids).toHaveLength(1)
})

test.each([
  ['secret.html', 'skipped', 'robots', null, /robots\.txt does not allow it\.$/],
  ['noindex.html', 'skipped', 'noindex', 200, /ask not to index it\.$/],
  ['gone.html', 'skipped', 'gone', 404, /The server answered 404\.$/],
  [
    'broken.html',
    'failed',
    'http_5xx',
    500,
    /^Could not be read on .*\(http_5xx\): The server answered 500\.$/,
  ],
  ['copy.html', 'skipped', 'duplicate', 200, /the same text as .*b\.html\.$/],
  ['old/x.html', 'skipped', 'excluded', null, /globs of its source exclude it\.$/],
])('%s is explained', async (path, status, reason, httpStatus, explanation) => {
  expect(await lookup(path)).toMatchObject({
    status,
    reason,
    http_status: httpStatus,
    title: null,
    content_hash: null,
    sections: [],
    linked_from: [path === 'copy.html' ? `${site.url}b.html` : site.url],
    explanation: expect.stringMatching(explanation),
  })
})

test('counts addresses by outcome, reason and folder', async () => {
  const counts = async (query = '') => (await lectern.call('GET', `${base}pages/counts/?${query}`)).body
  const whole = await counts()
  expect(whole).toMatchObject({ indexed: 4, skipped: 6, failed: 1, pending: 0, folder_count: 1 })
  expect(whole.folders).toEqual([{ url: site.url, indexed: 4, skipped: 6, failed: 1, pending: 0 }])
  expect(whole.reasons).toContainEqual({ status: 'failed', reason: 'http_5xx', count: 1 })
  expect(whole.reasons).toHaveLength(7)
  const below = await counts(`url=${encodeURIComponent(site.url)}`)
  expect(below.folder_count).toBe(11)
  expect(below.folders).toContainEqual({
    url: `${site.url}old/`,
    indexed: 0,
    skipped: 1,
    failed: 0,
    pending: 0,
  })
  expect(below.folders).toContainEqual({
    url: `${site.url}a.html`,
    indexed: 1,
    skipped: 0,
    failed: 0,
    pending: 0,
  })
  expect(await counts('source_uuid=00000000-0000-4000-8000-000000000000')).toMatchObject({
    indexed: 0,
    folders: [],
  })
})

test('counts the addresses that a source with other globs would include, without changing anything', async () => {
  const match = (body: unknown) => lectern.call('POST', `${base}pages/match/`, body)
  const { uuid } = (await lectern.call('GET', `${base}sources/`)).body.results[0]
  const excluded = [`${site.url}old/x.html`]
  expect((await match({ source_uuid: uuid })).body).toEqual({
    matched: 10,
    total: 11,
    excluded,
    is_whole: true,
  })
  const source = { type: 'site', url: site.url, include: ['**/a.html', '**/b.html'] }
  // The start page of a site is always included.
  expect((await match({ source })).body).toMatchObject({ matched: 3, total: 11, is_whole: true })
  expect((await match({ source_uuid: uuid, source: { exclude: ['**'] } })).body).toMatchObject({ matched: 0 })
  expect((await lectern.call('GET', `${base}sources/${uuid}/`)).body.exclude).toEqual(['**/old/**'])
  for (const [body, field] of [
    [{}, 'source'],
    [{ source: {} }, 'source.type'],
    [{ source: { type: 'repository', url: 'https://a.example/b' } }, 'source.type'],
    [{ source: { type: 'site' } }, 'source.url'],
    [{ source: { type: 'site', url: 'ftp://a' } }, 'source.url'],
    [{ source: { type: 'site', url: site.url, exclude: ['['] } }, 'source.exclude[0]'],
    [
      { source: { type: 'site', url: site.url, include: Array(100).fill('?'.repeat(150)) } },
      'source.include[65]',
    ],
  ] as const) {
    const { status, body: answer } = await match(body)
    expect([status, Object.keys(answer.fields ?? {})], JSON.stringify(answer)).toEqual([400, [field]])
  }
  expect((await match({ source_uuid: 'none' })).status).toBe(404)
})

test.each([
  ['b.html', 'taken', 'It lies below the start address.'],
  ['old/x.html', 'excluded', 'The exclude glob **/old/** matches.'],
  ['lonely.html', 'taken', 'It lies below the start address.'],
])('looks up %s with its source and the rule that decides', async (path, verdict, rule) => {
  expect((await lookup(path)).sources).toEqual([
    { uuid: expect.any(String), name: 'The site', verdict, rule },
  ])
})

test('looks up a redirect with its target', async () => {
  expect(await lookup('moved.html')).toMatchObject({ reason: 'redirect', redirects: [`${site.url}b.html`] })
})

test.each([
  ['lonely.html', 'The source “The site” covers the address, but no page that was read links to it.'],
  ['old/y.html', 'The include and exclude globs of the source “The site” leave the address out.'],
  ['https://elsewhere.example/', 'No source of the project covers the address.'],
])('explains an address that was never seen: %s', async (path, explanation) => {
  expect(await lookup(path)).toMatchObject({ status: 'unknown', reason: null, events: [], explanation })
  if (path.startsWith('https:')) expect((await lookup(path)).sources).toEqual([])
})

test('lists a page that fails later as failed, once, and keeps it in the index', async () => {
  site.pages.set('/a.html', broken(503))
  const run = await sync()
  expect((await list('status=failed')).toSorted()).toEqual([
    '/a.html failed http_5xx',
    '/broken.html failed http_5xx',
  ])
  expect(await list('status=indexed')).toEqual(indexed.filter((row) => !row.startsWith('/a.html')))
  expect(await list()).toHaveLength(11)
  expect(await lookup('a.html')).toMatchObject({
    status: 'failed',
    http_status: 503,
    sections: [{ title: 'Page A' }],
    explanation: expect.stringMatching(/The index still has the version that was fetched on/),
  })
  const events = async (query: string) =>
    (await lectern.call('GET', `${base}sync/${run}/events/?${query}`)).body.results
  const url = encodeURIComponent(`${site.url}a.html#top`)
  expect(await events(`url=${url}`)).toMatchObject([{ type: 'page_failed', reason: 'http_5xx' }])
  expect(await events('reason=http_5xx')).toHaveLength(2)
  expect(await events('reason=http_5xx&level=&type=')).toHaveLength(2)
  expect(await events('source_uuid=00000000-0000-4000-8000-000000000000')).toEqual([])
})

test('looks up a page that has lost its text with the status of its response', async () => {
  site.pages.set('/unread.html', '<p></p>')
  await sync()
  expect(await lookup('unread.html')).toMatchObject({
    status: 'skipped',
    reason: 'no_content',
    http_status: 200,
    sections: [],
  })
})
