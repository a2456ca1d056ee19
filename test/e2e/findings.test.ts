// What is wrong with a documentation site that has one planted defect of each kind.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LecternProcess, runEnded, startLectern } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

let lectern: LecternProcess
let site: Site
const base = '/api/v2/projects/sick/'

const text = (about: string) => `A text about ${about}. `.repeat(20)

beforeAll(async () => {
  site = await openSite()
  const good = [
    ...['./', 'dead.html', 'broken.html', 'zcopy.html'],
    // Of these anchors, the page that is named, or that the redirect leads to, has the first two.
    ...['target.html#caf%C3%A9', 'old.html#old', 'old.html#nowhere', '#top', './#/route'],
  ]
  const pages: Record<string, Parameters<typeof site.pages.set>[1]> = {
    '/': htmlPage('Start', text('everything'), ['good.html', 'old.html', 'thin.html']),
    '/good.html': htmlPage('Good', text('health'), good),
    '/old.html': (_, response) => void response.writeHead(301, { location: '/target.html' }).end(),
    // Only links to the address that redirects lead here.
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
  lectern = await startLectern()
  await lectern.call('POST', '/api/v2/projects/', { name: 'Sick' })
  await lectern.call('POST', `${base}sources/`, { type: 'site', url: site.url })
  await lectern.call('POST', `${base}sources/`, { type: 'sitemap', url: `${site.url}sitemap.xml` })
  const run = (await lectern.call('POST', `${base}sync/`)).body.uuid
  expect((await runEnded(lectern, 'sick', run)).status).toBe('completed')
}, 60_000)
afterAll(async () => {
  await lectern?.remove()
  await site?.close()
})

const list = async (query = '') => (await lectern.call('GET', `${base}health/?${query}`)).body
const at = (path: string) => `${site.url}${path}`

test('each planted defect is found once, and nothing else', async () => {
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

test('findings come by kind and in pages', async () => {
  expect((await list('kind=orphan')).results.map(({ url }: { url: string }) => url)).toEqual([
    at('orphan.html'),
  ])
  const { count, next, results } = await list('kind=broken_link&limit=1')
  expect([count, results.length]).toEqual([2, 1])
  expect(next).toContain('offset=1')
  expect((await lectern.call('GET', `${base}health/?kind=ill`)).status).toBe(400)
})
