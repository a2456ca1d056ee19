// A source that cannot be read fails alone.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sourceTable } from '../../sources/source-table.ts'
import { type SourceType, UnreadableSource } from '../../sources/source-type.ts'
import { htmlPage } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
const urlType = sourceTable.url!
beforeEach(async () => {
  lab = await openLab()
})
afterEach(async () => {
  sourceTable.url = urlType
})

const states = async () =>
  (await lab.store.sources.all(lab.project)).map(({ state, lastError }) => [state, lastError])

/** Replaces a type's reader; the parse threads know the type by its own parser. */
function read(open: SourceType['open']) {
  sourceTable.url = { open, parser: urlType.parser }
}

test('reports why a list cannot be read, keeps its pages, and reads and cleans up other sources', async () => {
  const site = await lab.addSource({ createdAt: '2026-01-01T00:00:00.000Z' })
  await lab.addSource({ type: 'url', url: `${lab.site.url}list` })
  lab.writePages(['a.html', 'b.html'])
  lab.site.pages.set('/listed', htmlPage('Listed', 'Text that a list names.'))
  lab.site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /listed')
  read((_, { fetcher }) => ({
    async *list() {
      yield { documents: [{ url: `${lab.site.url}listed` }] }
    },
    async fetch(url) {
      const answer = await fetcher.call(url)
      const body = answer.kind === 'answer' ? answer.body : Buffer.from('')
      return {
        kind: 'document',
        body,
        contentType: 'text/html',
        title: 'Named',
        etag: 'one',
        lastModified: null,
      }
    },
  }))
  expect((await lab.sync()).status).toBe('completed')
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/b.html', '/listed'])
  const pages = await lab.store.pages.byUrls(lab.project, [`${lab.site.url}listed`])
  expect(pages[0]).toMatchObject({ title: 'Named', etag: 'one' })

  read(() => ({
    list: () => {
      throw new UnreadableSource('The service does not answer.')
    },
    fetch: () => Promise.reject(new Error('never asked')),
  }))
  lab.site.pages.delete('/b.html')
  lab.writePages(['a.html'])
  const second = await lab.sync()
  expect(second).toMatchObject({ status: 'completed', error: null, sourcesFailed: 1 })
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/listed'])
  const ends = await lab.eventsOf(second, 'source_finished')
  expect(ends.map(({ level, message }) => [level, message])).toEqual([
    ['info', 'The source has been read.'],
    ['error', 'The service does not answer.'],
  ])
  expect(ends[0]!.sourceUuid).toBe(site.uuid)
  expect(await states()).toEqual([
    ['ok', null],
    ['failed', 'The service does not answer.'],
  ])

  sourceTable.url = urlType
  lab.site.pages.delete('/robots.txt')
  lab.site.pages.set('/list', htmlPage('List', 'What there is.'))
  expect(await lab.sync()).toMatchObject({ status: 'completed', sourcesFailed: 0 })
  expect(await states()).toEqual([
    ['ok', null],
    ['ok', null],
  ])
})

const failures: [what: string, add: () => Promise<unknown>, error: () => string][] = [
  [
    'the port of its start page is reserved',
    () => lab.addSource({ url: 'http://127.0.0.1:1/' }),
    () =>
      'http://127.0.0.1:1/ could not be read. Port 1 is reserved for another protocol. To let Lectern crawl it, set LECTERN_CRAWL_ALLOW=127.0.0.1:1.',
  ],
  [
    'its address is not public',
    () => lab.addSource({ url: 'http://127.0.0.2:8080/docs/' }),
    () =>
      'http://127.0.0.2:8080/docs/ could not be read. 127.0.0.2 is not a public address. To let Lectern crawl it, set LECTERN_CRAWL_ALLOW=127.0.0.2.',
  ],
  [
    'its start page does not exist',
    () => lab.addSource({ type: 'url' }),
    () => `${lab.site.url} could not be read. The server answered 404.`,
  ],
  [
    'the page that its start page redirects to does not exist',
    async () => {
      lab.site.pages.set('/', (_, response) => void response.writeHead(302, { location: '/en/' }).end())
      await lab.addSource()
    },
    () => `${lab.site.url}en/ could not be read. The server answered 404.`,
  ],
  [
    'robots.txt does not allow its start page',
    async () => {
      lab.writePages([])
      lab.site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /')
      await lab.addSource()
    },
    () => `${lab.site.url} could not be read. robots.txt does not allow it.`,
  ],
  [
    'its sitemap does not exist',
    () => lab.addSource({ type: 'sitemap', url: `${lab.site.url}sitemap.xml` }),
    () => 'The sitemap could not be read. The server answered 404.',
  ],
  [
    'the host of its API description is not public',
    () => lab.addSource({ type: 'openapi', url: 'http://127.0.0.2:8080/openapi.json' }),
    () =>
      'The API description could not be read. 127.0.0.2 is not a public address. To let Lectern crawl it, set LECTERN_CRAWL_ALLOW=127.0.0.2.',
  ],
]

test.each(failures)('a source fails if %s, and so does a run that reads no other', async (_, add, error) => {
  await add()
  const run = await lab.sync()
  expect(run).toMatchObject({ status: 'failed', error: error(), sourcesFailed: 1 })
  expect(await states()).toEqual([['failed', error()]])
  const [last] = await lab.eventsOf(run, 'run_finished')
  expect(last).toMatchObject({ level: 'error', message: error() })
})

test('a run that reads no source ends with the error of the first, and removes nothing', async () => {
  lab.writePages(['a.html'])
  await lab.addSource({ createdAt: '2026-01-01T00:00:00.000Z' })
  await lab.addSource({ type: 'url', url: `${lab.site.url}a.html` })
  await lab.sync()
  lab.site.pages.set('/alone.html', htmlPage('Alone', 'Nobody links here.'))
  expect(await lab.recrawl(`${lab.site.url}alone.html`)).toMatchObject({ status: 'indexed' })
  lab.site.pages.clear()
  for (let round = 0; round < 2; round++) {
    expect(await lab.sync()).toMatchObject({
      ...{ status: 'failed', sourcesFailed: 2, pages: { removed: 0 } },
      error: `${lab.site.url} could not be read. The server answered 404.`,
    })
  }
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/alone.html'])
})

test('a failed source keeps its pages, and the run removes pages of another source that it read', async () => {
  lab.writePages(['a.html', 'b.html'])
  lab.site.pages.set('/docs/', htmlPage('Docs', 'Of the docs.', ['/docs/c.html', '/docs/d.html']))
  for (const name of ['c', 'd']) lab.site.pages.set(`/docs/${name}.html`, htmlPage(name, `Text of ${name}.`))
  await lab.addSource({ url: `${lab.site.url}docs/` })
  lab.site.pages.set('/guide/', htmlPage('Guide', 'Of the guide.', ['/guide/e.html']))
  lab.site.pages.set('/guide/e.html', htmlPage('E', 'Text of e.'))
  await lab.addSource({ url: `${lab.site.url}guide/` })
  await lab.addSource({ type: 'url', url: `${lab.site.url}a.html` })
  await lab.sync()
  lab.site.pages.delete('/docs/c.html')
  lab.site.pages.delete('/guide/')
  const run = await lab.sync()
  expect(run).toMatchObject({ status: 'completed', sourcesFailed: 1, pages: { removed: 1 } })
  expect(await lab.indexedPaths()).toEqual([
    ...['/a.html', '/docs/', '/docs/d.html'],
    ...['/guide/', '/guide/e.html'],
  ])
})

test('a failed page of a site does not fail the site', async () => {
  lab.writePages(['a.html'])
  lab.site.pages.set('/a.html', (_, response) => void response.writeHead(500).end())
  expect(await lab.sync()).toMatchObject({ status: 'completed', sourcesFailed: 0, pages: { failed: 1 } })
  expect(await states()).toEqual([['ok', null]])
})
