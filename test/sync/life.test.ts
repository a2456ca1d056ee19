// A sync from start to end: counters, events, unchanged and removed pages.
import { beforeEach, expect, test } from 'vitest'
import { toQuery } from '../contract/search-index.suite.ts'
import { htmlPage } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
beforeEach(async () => {
  lab = await openLab()
})

test('a first sync adds every page below the start, and its units are found', async () => {
  lab.writePages(['a.html', 'b.html', 'sub/c.html'])
  const run = await lab.sync()
  expect(run).toMatchObject({ status: 'completed', pages: { discovered: 4, added: 4, fetched: 4 } })
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/b.html', '/sub/c.html'])
  const hits = await lab.index.findByTerms(lab.project, toQuery(['c.html']))
  expect(hits.map(({ unit }) => unit.url)).toContain(`${lab.site.url}sub/c.html`)
  expect((await lab.eventsOf(run)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect((await lab.eventsOf(run)).map(({ type }) => type)).toEqual([
    'run_started',
    'source_started',
    'page_added',
    'page_added',
    'page_added',
    'page_added',
    'source_finished',
    'run_finished',
  ])
})

test('a second sync of an unchanged site writes nothing to the index and no page event', async () => {
  lab.writePages(['a.html', 'b.html'])
  await lab.sync()
  const before = await lab.store.pages.scan(lab.project, null, 100)
  const run = await lab.sync()
  expect(run.pages).toMatchObject({ discovered: 3, unchanged: 3, added: 0, updated: 0, fetched: 3 })
  const after = await lab.store.pages.scan(lab.project, null, 100)
  expect(after.map(({ version }) => version)).toEqual(before.map(({ version }) => version))
  expect((await lab.eventsOf(run)).some(({ type }) => type.startsWith('page_'))).toBe(false)
})

test('a page that answers 304 is unchanged, and its links are still followed', async () => {
  lab.site.pages.set('/', (request, response) => {
    const known = request.headers['if-none-match'] === '"v1"'
    response.writeHead(known ? 304 : 200, { 'content-type': 'text/html', etag: '"v1"' })
    response.end(known ? undefined : htmlPage('Start', 'Where to begin.', ['/a.html']))
  })
  lab.site.pages.set('/a.html', htmlPage('A', 'First edition.'))
  await lab.sync()
  lab.site.pages.set('/a.html', htmlPage('A', 'Second edition.'))
  expect((await lab.sync()).pages).toMatchObject({ unchanged: 1, updated: 1, fetched: 2 })
})

test('removes pages that are gone when the run completes, with their units', async () => {
  lab.writePages(['a.html', 'b.html', 'c.html', 'd.html'])
  await lab.sync()
  lab.writePages(['a.html', 'b.html', 'c.html'])
  lab.site.pages.delete('/d.html')
  const run = await lab.sync()
  expect(run.pages).toMatchObject({ updated: 1, unchanged: 3, removed: 1 })
  expect(await lab.eventsOf(run, 'page_removed')).toMatchObject([{ url: `${lab.site.url}d.html` }])
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/b.html', '/c.html'])
  const kept = new Set((await lab.store.pages.scan(lab.project, null, 100)).map(({ uuid }) => uuid))
  for await (const { page } of lab.index.versions(lab.project)) expect(kept).toContain(page)
})

test('a page that answers 404 is skipped as gone and removed', async () => {
  lab.writePages(['a.html', 'b.html', 'c.html'])
  await lab.sync()
  lab.site.pages.delete('/c.html')
  const run = await lab.sync()
  expect(await lab.reasonsOf(run)).toEqual({ '/c.html': 'gone' })
  expect(run.pages).toMatchObject({ unchanged: 3, skipped: 1, removed: 1, fetched: 4 })
})

test('holds removals of more than half of the pages once, and the next run that finds the same removes them', async () => {
  lab.writePages(['a.html', 'b.html', 'c.html', 'd.html'])
  await lab.sync()
  lab.writePages(['a.html'])
  const held = await lab.sync()
  expect(held).toMatchObject({ status: 'completed', pages: { removed: 0 } })
  expect(await lab.eventsOf(held, 'removals_held')).toMatchObject([{ level: 'warning' }])
  expect(await lab.indexedPaths()).toHaveLength(5)
  expect((await lab.sync()).pages.removed).toBe(3)
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html'])
})

test('pages that a run adds do not raise the number that it may remove', async () => {
  lab.writePages(['a.html', 'b.html', 'c.html', 'd.html'])
  await lab.sync()
  lab.site.pages.clear()
  lab.writePages(['d.html', 'e.html', 'f.html', 'g.html', 'h.html'])
  const run = await lab.sync()
  expect(run.pages).toMatchObject({ added: 4, removed: 0 })
  expect(await lab.eventsOf(run, 'removals_held')).toHaveLength(1)
  expect((await lab.sync()).pages.removed).toBe(3)
})

test('a run that is interrupted after it held removals holds them when it is resumed', async () => {
  const holding = Promise.withResolvers<void>()
  const interrupted = Promise.withResolvers<void>()
  let isFirst = true
  lab = await openLab({
    wrap: (store) => ({
      ...store,
      pages: {
        ...store.pages,
        async assignSources(...args) {
          const isHolding = (await store.pages.scan(lab.project, null, 9)).some(
            ({ heldBy }) => heldBy !== null,
          )
          if (!isFirst || !isHolding) return store.pages.assignSources(...args)
          isFirst = false
          holding.resolve()
          await interrupted.promise
          throw new Error('interrupted')
        },
      },
    }),
  })
  for (const name of ['a', 'b', 'c', 'd'])
    lab.site.pages.set(`/${name}.html`, htmlPage(name, `Words of ${name}.`))
  const links = (names: string[]) => names.map((name) => `/${name}.html`)
  lab.site.pages.set('/', htmlPage('Start', 'Where to begin.', links(['a', 'b', 'c', 'd'])))
  await lab.sync()
  lab.site.pages.set('/', htmlPage('Start', 'Where to begin.', links([])))
  const run = await lab.begin()
  await holding.promise
  const restarted = lab.restart()
  interrupted.resolve()
  await restarted
  expect(await lab.ended(run)).toMatchObject({ status: 'completed', pages: { removed: 0 } })
  expect(await lab.indexedPaths()).toHaveLength(5)
  expect((await lab.sync()).pages.removed).toBe(4)
})

test('any number of graceful restarts during one page does not fail a run', async () => {
  lab.site.pages.set('/', htmlPage('Start', 'Where to begin.', ['/long.html']))
  const run = await holdLongPage(() => lab.begin())
  for (let restarts = 0; restarts < 4; restarts++) await holdLongPage(() => lab.restart())
  lab.site.pages.set('/long.html', htmlPage('Long', 'It was long in coming.'))
  await lab.restart()
  expect(await lab.ended(run)).toMatchObject({ status: 'completed', pages: { added: 2 } })
})

/** Does `work`, and waits for a request of the long page, which is not answered. */
async function holdLongPage<Result>(work: () => Promise<Result>): Promise<Result> {
  const asked = Promise.withResolvers<void>()
  lab.site.pages.set('/long.html', () => asked.resolve())
  const result = await work()
  await asked.promise
  return result
}

test('a site that is down keeps its pages, however often it is tried', async () => {
  lab.writePages(['a.html', 'b.html'])
  await lab.sync()
  for (const path of lab.site.pages.keys())
    lab.site.pages.set(path, (_, response) => void response.writeHead(500).end())
  for (let round = 0; round < 2; round++) {
    const run = await lab.sync()
    expect(run).toMatchObject({ status: 'failed', pages: { failed: 3, removed: 0 } })
    expect(await lab.reasonsOf(run)).toMatchObject({ '/': 'http_5xx', '/a.html': 'http_5xx' })
  }
  expect(await lab.indexedPaths()).toHaveLength(3)
})

test.each([
  [
    'fails',
    (lab: Lab) => lab.site.pages.set('/robots.txt', (_, response) => void response.writeHead(503).end()),
  ],
  [
    'does not answer',
    (lab: Lab) => {
      lab.site.pages.set('/robots.txt', () => {})
      lab.silent.add(`${lab.site.url}robots.txt`)
    },
  ],
])('a site whose robots.txt %s keeps its pages, however often it is tried', async (_, breakSite) => {
  lab.writePages(['a.html', 'b.html'])
  await lab.sync()
  breakSite(lab)
  for (let round = 0; round < 2; round++)
    expect(await lab.sync()).toMatchObject({ status: 'failed', pages: { failed: 3, removed: 0 } })
  expect(await lab.indexedPaths()).toHaveLength(3)
})

test('a site whose start redirects keeps its pages while it is down', async () => {
  lab.site.pages.set('/', (_, response) => void response.writeHead(302, { location: '/en/' }).end())
  lab.site.pages.set('/en/', htmlPage('Start', 'Where to begin.', ['/en/a.html']))
  lab.site.pages.set('/en/a.html', htmlPage('A', 'Text of a.'))
  await lab.sync()
  for (const path of lab.site.pages.keys())
    lab.site.pages.set(path, (_, response) => void response.writeHead(500).end())
  for (let round = 0; round < 2; round++)
    expect((await lab.sync()).pages).toMatchObject({ failed: 3, removed: 0 })
  expect(await lab.indexedPaths()).toEqual(['/en/', '/en/a.html'])
})

test('a resumed run still knows the redirected start of its source', async () => {
  lab.site.pages.set('/a/', (_, response) => void response.writeHead(302, { location: '/b/' }).end())
  lab.site.pages.set('/b/', htmlPage('B', 'Start.', ['/b/c.html']))
  const asked = Promise.withResolvers<void>()
  lab.site.pages.set('/b/c.html', () => asked.resolve())
  lab.site.pages.set('/b/d.html', htmlPage('D', 'Text of d.'))
  await lab.addSource({ url: `${lab.site.url}a/` })
  const run = await lab.begin()
  await asked.promise
  lab.site.pages.set('/b/c.html', htmlPage('C', 'Text of c.', ['/b/d.html']))
  await lab.restart()
  expect(await lab.ended(run)).toMatchObject({ status: 'completed', pages: { added: 3, skipped: 1 } })
  expect(await lab.indexedPaths()).toEqual(['/b/', '/b/c.html', '/b/d.html'])
  expect((await lab.store.sources.all(lab.project))[0]?.resolvedUrl).toBe(`${lab.site.url}b/`)
})
