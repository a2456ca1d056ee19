// Reports on a site, one project each: findings on its pages, and the test of an address.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LecternProcess, sharedLectern, syncToEnd } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

let lectern: LecternProcess
beforeAll(async () => {
  lectern = await sharedLectern()
})

describe('a documentation site with one planted defect of each kind', () => {
  let site: Site
  const base = '/api/v2/projects/sick/'

  const text = (about: string) => `A text about ${about}. `.repeat(20)

  beforeAll(async () => {
    site = await openSite()
    const good = [
      ...['./', 'dead.html', 'broken.html', 'zcopy.html'],
      // Of these anchors, the named page or the target of the redirect has the first two.
      ...['target.html#caf%C3%A9', 'old.html#old', 'old.html#nowhere', '#top', './#/route'],
    ]
    const pages: Record<string, Parameters<typeof site.pages.set>[1]> = {
      '/': htmlPage('Start', text('everything'), ['good.html', 'old.html', 'thin.html']),
      '/good.html': htmlPage('Good', text('health'), good),
      '/old.html': (_, response) => void response.writeHead(301, { location: '/target.html' }).end(),
      // Only links to the redirecting address point here.
      '/target.html': htmlPage('Target', `<a name=old></a><i id="café">x</i>${text('redirects')}`, [
        'dead.html',
      ]),
      '/thin.html': htmlPage('Thin', 'Soon more.', ['./']),
      '/broken.html': (_, response) => void response.writeHead(500).end(),
      '/zcopy.html': htmlPage('Good', text('health'), good),
      '/orphan.html': htmlPage('Orphan', text('loneliness'), ['./']),
      '/sitemap.xml': `<urlset><url><loc>${site.url}orphan.html</loc></url><url><loc>${site.url}good.html</loc></url></urlset>`,
    }
    for (const [path, page] of Object.entries(pages)) site.pages.set(path, page)
    await lectern.call('POST', '/api/v2/projects/', { name: 'Sick' })
    await lectern.call('POST', `${base}sources/`, { type: 'site', url: site.url })
    await lectern.call('POST', `${base}sources/`, { type: 'sitemap', url: `${site.url}sitemap.xml` })
    expect((await syncToEnd(lectern, 'sick')).status).toBe('completed')
  })
  afterAll(() => site?.close())

  const list = async (query = '') => (await lectern.call('GET', `${base}health/?${query}`)).body
  const at = (path: string) => `${site.url}${path}`

  test('finds each planted defect once, and nothing else', async () => {
    const { count, results } = await list()
    expect(count).toBe(6)
    expect(results).toEqual([
      {
        ...{ kind: 'broken_link', url: at('broken.html'), title: null, reason: 'http_5xx' },
        ...{ message: 'The server answered 500.', linked_from: [at('good.html')] },
      },
      {
        ...{ kind: 'broken_link', url: at('dead.html'), title: null, reason: 'gone' },
        ...{ message: 'The server answered 404.', linked_from: expect.any(Array) },
      },
      {
        ...{ kind: 'duplicate', url: at('zcopy.html'), title: null, reason: null },
        ...{ message: `It has the same text as ${at('good.html')}`, linked_from: [] },
      },
      {
        ...{ kind: 'orphan', url: at('orphan.html'), title: 'Orphan', reason: null },
        ...{ message: 'No page of the project links to it.', linked_from: [] },
      },
      {
        ...{ kind: 'thin', url: at('thin.html'), title: 'Thin', reason: null },
        ...{ message: expect.stringMatching(/^It has \d+ characters of text\.$/), linked_from: [] },
      },
      {
        ...{ kind: 'broken_anchor', url: at('target.html#nowhere'), title: 'Target', reason: null },
        ...{ message: 'The page has no anchor “nowhere”.', linked_from: [at('good.html')] },
      },
    ])
    expect(results[1].linked_from.toSorted()).toEqual([at('good.html'), at('target.html')])
  })

  test('lists findings by kind, in pages', async () => {
    expect((await list('kind=orphan')).results.map(({ url }: { url: string }) => url)).toEqual([
      at('orphan.html'),
    ])
    const { count, next, results } = await list('kind=broken_link&limit=1')
    expect([count, results.length]).toEqual([2, 1])
    expect(next).toContain('offset=1')
    expect((await lectern.call('GET', `${base}health/?kind=ill`)).status).toBe(400)
  })
})

// What a crawl would do with an address, by the same rules, without changing the project.
describe('the test of an address', () => {
  let site: Site
  let other: Site
  const base = '/api/v2/projects/tested/'
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
        void response
          .writeHead(200, { 'content-type': 'text/html', 'content-length': '99999999' })
          .write('x'),
    })
    await lectern.call('POST', '/api/v2/projects/', { name: 'Tested' })
    const source = { type: 'site', url: site.url, exclude: ['**/old/**'] }
    saved = (await lectern.call('POST', `${base}sources/`, source)).body.uuid
    expect((await syncToEnd(lectern, 'tested')).status).toBe('completed')
  })
  afterAll(async () => {
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
    ['no_content', 'image.html', 'skipped', 200],
    ['no_content', 'empty.html', 'skipped', 200],
    ['http_5xx', 'broken.html', 'failed', 500],
    ['too_large', 'large.html', 'failed', null],
  ])('reports %s at %s', async (reason, path, outcome, httpStatus) => {
    const { status, body } = await ask({ url: at(path), source_uuid: saved })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({
      outcome,
      reason,
      http_status: httpStatus,
      message: expect.stringMatching(/\w/),
    })
  })

  test('shows a page as it would be indexed', async () => {
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
    // The content of a page that is not indexed is shown, too.
    expect((await ask({ url: at('noindex.html'), source_uuid: saved })).body).toMatchObject({
      title: 'Hidden',
    })
  })

  test('applies unsaved settings, and new globs of a saved source', async () => {
    const source = { type: 'site', url: site.url, include: ['**/b*'] }
    expect((await ask({ url: at('new.html'), source })).body).toMatchObject({ reason: 'excluded' })
    const globs = { source_uuid: saved, source: { exclude: ['**/new*'] } }
    expect((await ask({ url: at('new.html'), ...globs })).body).toMatchObject({ reason: 'excluded' })
    expect((await ask({ url: at('old/x.html'), ...globs })).body).toMatchObject({ reason: 'gone' })
  })

  test('does not request an address outside the source, and rejects one in the private network', async () => {
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

  test('does not change the project', async () => {
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
  ])('%j reports the invalid field', async (body, field) => {
    const answer = await ask(body)
    expect([answer.status, Object.keys(answer.body.fields ?? {})]).toEqual([400, [field]])
  })
})
