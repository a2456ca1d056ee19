// Cancel and restart, fencing, limits, and recrawls during a run.
import { once } from 'node:events'
import { beforeEach, expect, test } from 'vitest'
import { toQuery } from '../contract/search-index.suite.ts'
import { htmlPage } from '../e2e/site.ts'
import { holdPage } from '../servers/held-page.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
beforeEach(async () => {
  lab = await openLab()
})

test('a schedule starts a run unless one is live', async () => {
  lab.writePages(['a.html'])
  const held = holdPage(lab.site, '/a.html', 'Words.')
  const run = await lab.begin()
  await held.asked
  await lab.comeDue()
  held.release()
  expect((await lab.ended(run)).status).toBe('completed')
  await lab.comeDue()
  const latest = (await lab.store.runs.latest(lab.project))!
  expect(latest).toMatchObject({ trigger: 'schedule' })
  expect((await lab.ended(latest)).status).toBe('completed')
})

test('a canceled run does not count as a crawl of its source', async () => {
  lab.site.pages.set('/', (_, response) => void response.writeHead(302, { location: '/en/' }).end())
  lab.site.pages.set('/en/', htmlPage('Start', 'Where to begin.', ['/en/a.html']))
  const held = holdPage(lab.site, '/en/a.html', 'Late words.')
  const run = await lab.begin()
  await held.asked
  await lab.cancel(run)
  held.release()
  await lab.ended(run)
  const [source] = await lab.store.sources.all(lab.project)
  expect(source).toMatchObject({ lastCrawledAt: null, resolvedUrl: `${lab.site.url}en/` })
})

test('opens at most eight connections to a host', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `p${at}.html`)
  lab.writePages(names)
  let open = 0
  let most = 0
  for (const name of names) {
    lab.site.pages.set(`/${name}`, async (_, response) => {
      open += 1
      most = Math.max(most, open)
      response.on('finish', () => {
        open -= 1
      })
      setImmediate(() =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(htmlPage(name, `Words of ${name}.`)),
      )
      await once(response, 'finish')
    })
  }
  expect((await lab.sync()).pages.added).toBe(41)
  expect(most).toBeLessThanOrEqual(8)
})

test('a new page that a recrawl adds during a run is not a duplicate of itself', async () => {
  lab.writePages(['a.html', 'b.html'])
  const held = holdPage(lab.site, '/b.html', 'Words of B.')
  const run = await lab.begin()
  await held.asked
  lab.site.pages.set('/b.html', htmlPage('/b.html', 'Words of B.'))
  const recrawl = lab.recrawl(`${lab.site.url}b.html`)
  await expect.poll(() => lab.indexedPaths()).toContain('/b.html')
  held.release()
  expect(await recrawl).toMatchObject({ status: 'indexed' })
  const { pages } = await lab.ended(run)
  expect(await lab.reasonsOf(run)).toEqual({})
  expect(pages).toMatchObject({ discovered: 3, skipped: 0 })
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/b.html'])
})

test('a page that a recrawl replaced after the run requested it is unchanged in the run', async () => {
  lab.writePages(['a.html'])
  await lab.sync()
  const held = holdPage(lab.site, '/a.html', 'Older words.')
  const run = await lab.begin()
  await held.asked
  lab.site.pages.set('/a.html', htmlPage('A', 'Newer words.'))
  const recrawl = lab.recrawl(`${lab.site.url}a.html`)
  const textOf = async () => {
    const [page] = await lab.store.pages.byUrls(lab.project, [`${lab.site.url}a.html`])
    return JSON.stringify(await lab.store.pages.content(page!.uuid))
  }
  await expect.poll(textOf).toContain('Newer words.')
  held.release()
  expect(await recrawl).toMatchObject({ status: 'indexed' })
  expect((await lab.ended(run)).pages).toMatchObject({ updated: 0, unchanged: 2 })
  expect(await lab.eventsOf(run, 'page_updated')).toEqual([])
  expect(await textOf()).toContain('Newer words.')
})

test('a recrawl keeps the source type of a page and its sections', async () => {
  lab.writePages(['a.html'])
  await lab.sync()
  lab.writePages(['a.html', 'b.html'], 'Other words of')
  for (const path of ['a.html', 'b.html']) {
    expect(await lab.recrawl(`${lab.site.url}${path}`)).toMatchObject({ status: 'indexed' })
  }
  const pages = await lab.store.pages.scan(lab.project, null, 10)
  expect(pages.map(({ sourceType }) => sourceType)).toEqual(['site', 'site', 'site'])
  const { units } = await lab.index.unembedded(lab.project, 'no model', 10)
  expect(units.map(({ sourceType }) => sourceType)).toEqual(['site', 'site', 'site'])
})

test('a recrawl updates the last visit of an address, whether it fails or finds the same page', async () => {
  lab.writePages(['a.html'])
  await lab.sync()
  const url = `${lab.site.url}a.html`
  const page = lab.site.pages.get('/a.html')!
  lab.site.pages.set('/a.html', (_, response) => void response.writeHead(500).end())
  await lab.recrawl(url)
  const [source] = await lab.store.sources.all(lab.project)
  expect(await lab.store.addresses.find(lab.project, url)).toEqual({
    ...{ url, status: 'failed', reason: 'http_5xx', message: expect.stringContaining('500') },
    ...{ at: expect.any(String), sourceUuid: source!.uuid, httpStatus: 500 },
  })
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html'])
  lab.site.pages.set('/a.html', page)
  expect(await lab.recrawl(url)).toMatchObject({ status: 'unchanged' })
  expect(await lab.store.addresses.find(lab.project, url)).toMatchObject({ status: 'indexed', reason: null })
})

test('a page added by a recrawl remains through syncs until it is gone', async () => {
  lab.writePages(['docs/a.html'])
  lab.site.pages.set('/docs/', htmlPage('Docs', 'Start of docs.', ['/docs/a.html']))
  lab.site.pages.set('/alone.html', htmlPage('Alone', 'Nobody links here.'))
  await lab.addSource({ url: `${lab.site.url}docs/` })
  await lab.sync()
  expect(await lab.recrawl(`${lab.site.url}alone.html`)).toMatchObject({ status: 'indexed' })
  expect((await lab.sync()).pages).toMatchObject({ unchanged: 3, removed: 0 })
  lab.site.pages.delete('/alone.html')
  expect((await lab.sync()).pages).toMatchObject({ removed: 1 })
  expect(await lab.indexedPaths()).toEqual(['/docs/', '/docs/a.html'])
})

test('deleting a project ends its recrawls, and leaves nothing in the index', async () => {
  lab.writePages(['a.html'])
  await lab.sync()
  const held = holdPage(lab.site, '/late.html', 'Late words.')
  const recrawl = lab.recrawl(`${lab.site.url}late.html`)
  await held.asked
  await lab.store.projects.delete(lab.project)
  await lab.work.dropProject(lab.project)
  // The page is never released, so only the deletion can end the recrawl.
  expect(await recrawl).toBeNull()
  for await (const version of lab.index.versions(lab.project)) expect(version).toBeUndefined()
})

/** The result of a kill between the index and the store: units of a version that no page has. */
async function leaveUnits() {
  const [found] = await lab.index.findByTerms(lab.project, toQuery(['words']))
  const { unit } = found!
  await lab.index.add(lab.project, [{ ...unit, id: `${unit.page}:1:0`, version: 1, ordinal: 0 }])
}

async function versionsInIndex(): Promise<number[]> {
  const versions: number[] = []
  for await (const { version } of lab.index.versions(lab.project)) versions.push(version)
  return versions
}

test('the next start deletes units that a kill after a cancel left', async () => {
  lab.writePages(['a.html'])
  await lab.sync()
  const held = holdPage(lab.site, '/a.html', 'Late words.')
  const run = await lab.begin()
  await held.asked
  await lab.cancel(run)
  await lab.ended(run)
  await leaveUnits()
  expect(await versionsInIndex()).toContain(1)
  await lab.restart()
  expect(await versionsInIndex()).not.toContain(1)
  expect(await versionsInIndex()).toHaveLength(2)
})

test('the next start deletes the index of a half-deleted project', async () => {
  lab.writePages(['a.html'])
  await lab.sync()
  await lab.store.projects.delete(lab.project)
  expect(await lab.index.projects()).toEqual([lab.project])
  await lab.restart()
  expect(await lab.index.projects()).toEqual([])
})

test('globs apply to recrawls below a moved start, and a recrawl assigns no other source', async () => {
  lab.site.pages.set('/docs/', (_, response) => void response.writeHead(302, { location: '/manual/' }).end())
  lab.site.pages.set('/manual/', htmlPage('Manual', 'Start.'))
  lab.site.pages.set('/manual/old/a.html', htmlPage('Old', 'Old words.'))
  lab.site.pages.set('/manual/b.html', htmlPage('B', 'Words of b.'))
  const { uuid } = await lab.addSource({ url: `${lab.site.url}docs/`, exclude: ['/manual/old/**'] })
  await lab.sync()
  const dropped = await lab.recrawl(`${lab.site.url}manual/old/a.html`)
  expect(dropped).toMatchObject({ status: 'dropped', reason: 'excluded' })
  expect(await lab.recrawl(`${lab.site.url}manual/b.html`)).toMatchObject({ status: 'indexed' })
  expect((await lab.store.sources.pageCounts(lab.project)).get(uuid)).toBe(1)
})

test('beyond the plan’s page limit, neither a sync nor a recrawl adds pages', async () => {
  lab = await openLab({ pageLimit: 2 })
  lab.writePages(['a.html', 'b.html'])
  expect((await lab.sync()).pages).toMatchObject({ added: 2, skipped: 1 })
  lab.site.pages.set('/c.html', htmlPage('C', 'Words of c.'))
  expect(await lab.recrawl(`${lab.site.url}c.html`)).toMatchObject({
    status: 'dropped',
    reason: 'page_limit',
  })
  expect((await lab.sync()).pages).toMatchObject({ unchanged: 2, skipped: 1, removed: 0 })
})
