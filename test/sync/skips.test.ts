// Why a page is not indexed: each skip and failure reason.
import { beforeEach, expect, test } from 'vitest'
import { htmlPage } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
beforeEach(async () => {
  lab = await openLab()
})

const withHead = (title: string, head: string) =>
  htmlPage(title, `Text of ${title}.`).replace('</head>', `${head}</head>`)

test('obeys robots.txt, robots meta and robots header', async () => {
  lab.writePages(['open.html', 'closed/a.html', 'meta.html', 'header.html'])
  lab.site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /closed/')
  lab.site.pages.set('/meta.html', withHead('meta', '<meta name="robots" content="noindex">'))
  lab.site.pages.set('/header.html', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': 'noindex' })
    response.end(htmlPage('header', 'Text of header.'))
  })
  const run = await lab.sync()
  expect(await lab.reasonsOf(run)).toEqual({
    '/closed/a.html': 'robots',
    '/meta.html': 'noindex',
    '/header.html': 'noindex',
  })
  expect(lab.site.requests.map(({ path }) => path)).not.toContain('/closed/a.html')
})

test('obeys nofollow in a robots meta element and in the header X-Robots-Tag', async () => {
  lab.writePages(['meta.html', 'header.html'])
  const meta = htmlPage('Meta', 'Text of meta.', ['/hidden.html'])
  lab.site.pages.set('/meta.html', meta.replace('<head>', '<head><meta name="robots" content="nofollow">'))
  lab.site.pages.set('/header.html', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': 'nofollow' })
    response.end(htmlPage('Header', 'Text of header.', ['/hidden.html']))
  })
  expect((await lab.sync()).pages).toMatchObject({ discovered: 3, added: 3 })
})

test('globs of one source exclude a page, unless another source includes it', async () => {
  lab.writePages(['docs/a.html', 'docs/old/b.html', 'docs/old/c.html'])
  const wide = await lab.addSource({ exclude: ['/docs/old/**'] })
  await lab.addSource({ type: 'url', url: `${lab.site.url}docs/old/b.html` })
  const run = await lab.sync()
  expect(await lab.reasonsOf(run)).toEqual({ '/docs/old/c.html': 'excluded' })
  expect(run.pages).toMatchObject({ discovered: 4, added: 3, skipped: 1 })
  expect(lab.site.requests.map(({ path }) => path)).not.toContain('/docs/old/c.html')
  expect((await lab.store.sources.pageCounts(lab.project)).get(wide.uuid)).toBe(2)
})

test('indexes the same text at two addresses once', async () => {
  lab.writePages(['a.html', 'copy.html'])
  lab.site.pages.set('/copy.html', lab.site.pages.get('/a.html')!)
  const first = await lab.sync()
  expect(Object.values(await lab.reasonsOf(first))).toEqual(['duplicate'])
  expect((await lab.sync()).pages).toMatchObject({ unchanged: 2, skipped: 1, added: 0 })
})

test('a canonical address counts within the source, but not elsewhere or for a file', async () => {
  lab.writePages(['a.html', 'variant.html', 'local.html', 'foreign.html'])
  lab.site.pages.set('/variant.html', withHead('variant', '<link rel="canonical" href="/a.html">'))
  lab.site.pages.set('/local.html', withHead('local', '<link rel="canonical" href="file:///local.html">'))
  lab.site.pages.set(
    '/foreign.html',
    withHead('foreign', '<link rel="canonical" href="https://example.org/x">'),
  )
  expect(await lab.reasonsOf(await lab.sync())).toEqual({ '/variant.html': 'canonical' })
})

test('indexes a page whose canonical address redirects back to it', async () => {
  lab.writePages(['guide/', 'api/index.html'])
  lab.site.pages.set('/guide/', withHead('guide', '<link rel="canonical" href="/guide">'))
  lab.site.pages.set('/guide', (_, response) => void response.writeHead(301, { location: '/guide/' }).end())
  lab.site.pages.set('/api/index.html', withHead('api', '<link rel="canonical" href="/api/">'))
  await lab.sync()
  expect(await lab.indexedPaths()).toEqual(['/', '/api/index.html', '/guide/'])
})

test.each([
  ['is missing', (lab: Lab) => lab.site.pages.delete('/target.html'), 'gone'],
  [
    'fails',
    (lab: Lab) => lab.site.pages.set('/target.html', (_, response) => void response.writeHead(500).end()),
    'http_5xx',
  ],
  [
    'may not be indexed',
    (lab: Lab) => lab.site.pages.set('/target.html', withHead('x', '<meta name="robots" content="noindex">')),
    'noindex',
  ],
])('indexes a page whose canonical address %s', async (_, breakTarget, reason) => {
  lab.writePages(['a.html', 'target.html'])
  lab.site.pages.set('/a.html', withHead('a', '<link rel="canonical" href="/target.html">'))
  breakTarget(lab)
  const first = await lab.sync()
  expect(await lab.reasonsOf(first)).toEqual({ '/target.html': reason })
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html'])
  expect(first.pages).toMatchObject({ discovered: 3, pending: 0, added: 2 })
  expect((await lab.sync()).pages).toMatchObject({ unchanged: 2, removed: 0 })
})

test('a page that is indexed for a missing canonical one counts toward max_pages', async () => {
  lab.writePages(['a.html', 'b.html'])
  lab.site.pages.set('/a.html', withHead('a', '<link rel="canonical" href="/gone.html">'))
  await lab.addSource({ maxPages: 2 })
  const run = await lab.sync()
  expect(run).toMatchObject({ status: 'completed', pages: { discovered: 4, pending: 0, added: 2 } })
  expect(await lab.reasonsOf(run)).toEqual({ '/a.html': 'page_limit', '/gone.html': 'page_limit' })
})

test('skips a page while its indexed canonical address fails', async () => {
  lab.writePages(['a.html', 'b.html', 'target.html'])
  lab.site.pages.set('/a.html', withHead('a', '<link rel="canonical" href="/target.html">'))
  expect(await lab.reasonsOf(await lab.sync())).toEqual({ '/a.html': 'canonical' })
  lab.site.pages.set('/target.html', (_, response) => void response.writeHead(500).end())
  expect(await lab.reasonsOf(await lab.sync())).toEqual({
    '/a.html': 'canonical',
    '/target.html': 'http_5xx',
  })
  expect(await lab.indexedPaths()).toEqual(['/', '/b.html', '/target.html'])
})

test('follows a chain of canonical addresses to its last page', async () => {
  lab.writePages(['a.html', 'b.html', 'c.html'])
  lab.site.pages.set('/a.html', withHead('a', '<link rel="canonical" href="/b.html">'))
  lab.site.pages.set('/b.html', withHead('b', '<link rel="canonical" href="/c.html">'))
  expect(await lab.reasonsOf(await lab.sync())).toEqual({ '/a.html': 'canonical', '/b.html': 'canonical' })
  expect(await lab.indexedPaths()).toEqual(['/', '/c.html'])
})

test('two pages that name each other as canonical do not both disappear', async () => {
  lab.writePages(['a.html', 'b.html'])
  lab.site.pages.set('/a.html', withHead('a', '<link rel="canonical" href="/b.html">'))
  lab.site.pages.set('/b.html', withHead('b', '<link rel="canonical" href="/a.html">'))
  expect((await lab.sync()).pages.added).toBeGreaterThanOrEqual(2)
})

test('skips a redirect and indexes its target; the scope of a site follows its start', async () => {
  lab.site.pages.set('/a/', (_, response) => void response.writeHead(301, { location: '/b/' }).end())
  lab.site.pages.set('/b/', (_, response) => void response.writeHead(302, { location: '/c/' }).end())
  lab.site.pages.set('/c/', htmlPage('C', 'Start.', ['/c/d.html', '/b/e.html', '/moved.html']))
  lab.site.pages.set('/c/d.html', htmlPage('D', 'Text of d.'))
  lab.site.pages.set('/b/e.html', htmlPage('E', 'Text of e.'))
  await lab.addSource({ url: `${lab.site.url}a/` })
  expect(await lab.reasonsOf(await lab.sync())).toEqual({ '/a/': 'redirect', '/b/': 'redirect' })
  expect(await lab.indexedPaths()).toEqual(['/c/', '/c/d.html'])
})

test('follows a redirected start that another source has already visited', async () => {
  lab.site.pages.set('/', (_, response) => void response.writeHead(302, { location: '/en/' }).end())
  lab.site.pages.set('/en/', withHead('en', '<meta name="robots" content="noindex">'))
  lab.site.pages.set(
    '/en/',
    lab.site.pages.get('/en/')!.toString().replace('</main>', '<a href="/en/a.html">a</a></main>'),
  )
  lab.site.pages.set('/en/a.html', htmlPage('A', 'Text of a.'))
  await lab.addSource({ type: 'url', createdAt: '2020-01-01T00:00:00.000Z' })
  await lab.addSource()
  const run = await lab.sync()
  expect(await lab.indexedPaths()).toEqual(['/en/a.html'])
  expect(run.pages).toMatchObject({ discovered: 3, skipped: 2, added: 1, fetched: 5 })
  expect((await lab.sync()).pages).toMatchObject({ unchanged: 1, removed: 0 })
})

test('skips a page without text, a file that is not a document, and binary data of any type as no_content', async () => {
  lab.writePages(['empty.html', 'data', 'binary.html'])
  lab.site.pages.set('/empty.html', '<html><head><title>Empty</title></head><body></body></html>')
  lab.site.pages.set('/data', (_, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    response.end('bytes')
  })
  lab.site.pages.set('/binary.html', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 37) % 256)))
  })
  expect(await lab.reasonsOf(await lab.sync())).toEqual({
    '/empty.html': 'no_content',
    '/data': 'no_content',
    '/binary.html': 'no_content',
  })
})

test('max_pages counts indexed pages; the rest is skipped with page_limit', async () => {
  lab.writePages(['a.html', 'b.html', 'c.html', 'd.html'])
  await lab.addSource({ maxPages: 3 })
  const run = await lab.sync()
  expect(run.pages).toMatchObject({ discovered: 5, added: 3, skipped: 2 })
  expect(new Set(Object.values(await lab.reasonsOf(run)))).toEqual(new Set(['page_limit']))
})

test('max_depth counts links from the start', async () => {
  lab.writePages(['a.html'])
  lab.site.pages.set('/a.html', htmlPage('A', 'One away.', ['/b.html']))
  lab.site.pages.set('/b.html', htmlPage('B', 'Two away.'))
  await lab.addSource({ maxDepth: 1 })
  await lab.sync()
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html'])
})

test('skips endless addresses as traps', async () => {
  lab.site.pages.set('/', htmlPage('Start', 'Text.', ['/x/']))
  let path = '/x/'
  for (let deep = 0; deep < 6; deep++, path += 'x/')
    lab.site.pages.set(path, htmlPage(path, `Text ${deep}.`, [`${path}x/`]))
  const run = await lab.sync()
  expect(run.status).toBe('completed')
  expect(Object.values(await lab.reasonsOf(run))).toEqual(['trap'])
})

test('logs each failure once with its reason, and the run completes', async () => {
  lab.writePages(['error', 'forbidden', 'slow', 'broken', 'away'])
  lab.site.pages.set('/error', (_, response) => void response.writeHead(500).end())
  lab.site.pages.set('/forbidden', (_, response) => void response.writeHead(403).end())
  lab.site.pages.set('/slow', () => {})
  lab.silent.add(`${lab.site.url}slow`)
  lab.site.pages.set('/broken', (request) => void request.socket.destroy())
  lab.site.pages.set(
    '/away',
    (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  )
  await lab.addSource()
  await lab.addSource({ type: 'url', url: 'http://no-such-host.invalid/' })
  await lab.addSource({ type: 'url', url: 'http://10.0.0.1/' })
  const run = await lab.sync()
  expect(run.status).toBe('completed')
  const events = [...(await lab.eventsOf(run, 'page_failed')), ...(await lab.eventsOf(run, 'page_skipped'))]
  expect(Object.fromEntries(events.map(({ url, reason }) => [url, reason]))).toEqual({
    [`${lab.site.url}error`]: 'http_5xx',
    [`${lab.site.url}forbidden`]: 'http_4xx',
    [`${lab.site.url}slow`]: 'timeout',
    [`${lab.site.url}broken`]: 'connection',
    [`${lab.site.url}away`]: 'redirect',
    'http://no-such-host.invalid/': 'dns',
    'http://10.0.0.1/': 'blocked_address',
  })
})

test('a crawl of endless copies of one page ends', async () => {
  const copy = (path: string) =>
    htmlPage('Copy', `Always the same. ${'01234'.replace(/\d/g, `<a href="${path}$&">on</a> `)}`)
  const { get } = lab.site.pages
  lab.site.pages.get = (path) =>
    get.call(lab.site.pages, path) ?? (/^\/\d+$/.test(path) ? copy(path) : undefined)
  lab.site.pages.set('/', htmlPage('Start', 'Where to begin.', ['/1']))
  const run = await lab.sync()
  expect(run).toMatchObject({ status: 'completed', pages: { added: 2, skipped: 5 } })
})

test('a crawl of endless dead links ends, and the site keeps its pages', async () => {
  lab.writePages(['a.html', 'b.html'])
  await lab.sync()
  const { get } = lab.site.pages
  const dead = (page: number) => Array.from({ length: 1_000 }, (_, at) => `/dead-${page}-${at}`)
  const endless = (page: number) =>
    htmlPage(`Page ${page}`, `Words ${page}.`, [...dead(page), `/n${page + 1}`])
  lab.site.pages.get = (path) => {
    const page = /^\/n(\d+)$/.exec(path)?.[1]
    return page === undefined ? get.call(lab.site.pages, path) : endless(Number(page))
  }
  lab.site.pages.set('/', htmlPage('Start', 'Where to begin.', [...dead(0), '/n1', '/a.html', '/b.html']))
  const run = await lab.sync()
  expect(run).toMatchObject({ status: 'completed', pages: { unchanged: 2, removed: 0 } })
  expect(run.pages.fetched).toBeLessThan(7_000)
  const logged = await lab.eventsOf(run, 'source_finished')
  expect(logged).toMatchObject([{ level: 'warning', message: expect.stringContaining('as a trap') }])
  const skipped = await lab.store.runs.events(
    run.uuid,
    { type: 'page_skipped' },
    { offset: run.pages.skipped - 1, limit: 1 },
  )
  expect(skipped.rows).toMatchObject([{ reason: 'trap' }])
})

test('a sign-in page instead of a sitemap removes no page, however often it is served', async () => {
  lab.writePages(['a.html', 'b.html'])
  const list = ['a.html', 'b.html'].map((name) => `<url><loc>${lab.site.url}${name}</loc></url>`).join('')
  lab.site.pages.set('/sitemap.xml', `<urlset>${list}</urlset>`)
  await lab.addSource({ type: 'sitemap', url: `${lab.site.url}sitemap.xml` })
  await lab.sync()
  lab.site.pages.set('/sitemap.xml', '<html><body>Please sign in</body></html>')
  for (let round = 0; round < 2; round++) expect((await lab.sync()).pages.removed).toBe(0)
  expect(await lab.indexedPaths()).toEqual(['/a.html', '/b.html'])
})
