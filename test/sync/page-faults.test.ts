// A fault of one page or one source fails that page or source, but neither the run nor other pages.
import { expect, test } from 'vitest'
import type { Store } from '../../services/store/store.ts'
import { ParseLimit, type ParsePool } from '../../workflows/parse/parse-pool.ts'
import { htmlPage } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab

const fault = () => Promise.reject(new TypeError('a fault'))

/** Waits for the project's work and ignores logged errors. */
async function syncWithFaults() {
  const { uuid } = await lab.begin()
  await lab.work.settled()
  return (await lab.store.runs.get(lab.project, uuid))!
}

test('a page that cannot be written fails, and those committed with it are written', async () => {
  const wrap = (store: Store): Store => ({
    ...store,
    pages: {
      ...store.pages,
      publish: (project, fence, all) =>
        all.some(({ page }) => page.url.endsWith('/bad.html'))
          ? fault()
          : store.pages.publish(project, fence, all),
    },
  })
  lab = await openLab({ wrap })
  lab.writePages(['a.html', 'bad.html', 'c.html'])
  await lab.addSource()
  const run = await syncWithFaults()
  expect(run).toMatchObject({ status: 'completed', pages: { added: 3, failed: 1, pending: 0 } })
  expect(await lab.reasonsOf(run)).toEqual({ '/bad.html': 'parse' })
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/c.html'])
})

test('a page whose visit throws fails, and remains in the index unchanged', async () => {
  const wrap = (store: Store): Store => ({ ...store, pages: { ...store.pages, content: fault } })
  lab = await openLab({ wrap })
  lab.writePages(['a.html', 'b.html'])
  lab.site.pages.set('/b.html', (request, response) => {
    response.writeHead(request.headers['if-none-match'] ? 304 : 200, {
      'content-type': 'text/html',
      etag: '"1"',
    })
    response.end(request.headers['if-none-match'] ? undefined : htmlPage('B', 'Words of b.'))
  })
  await lab.sync()
  const run = await syncWithFaults()
  expect(run).toMatchObject({ status: 'completed', pages: { unchanged: 2, failed: 1, removed: 0 } })
  expect(await lab.reasonsOf(run)).toEqual({ '/b.html': 'parse' })
})

test('a source that cannot be read fails with its event, keeps its pages, and the others are read', async () => {
  lab = await openLab()
  lab.writePages(['a.html'])
  await lab.addSource({ type: 'url', url: `${lab.site.url}a.html` })
  const bad = await lab.addSource({ url: 'no address', name: 'bad' })
  const globs = await lab.addSource({ include: ['['.repeat(3)], url: `${lab.site.url}x/`, name: 'globs' })
  const run = await syncWithFaults()
  expect(run).toMatchObject({ status: 'completed', pages: { added: 1, pending: 0 } })
  const finished = await lab.eventsOf(run, 'source_finished')
  for (const { uuid } of [bad, globs]) {
    const message = expect.stringContaining('could not be read')
    expect(finished).toContainEqual(expect.objectContaining({ sourceUuid: uuid, level: 'error', message }))
  }
  expect((await lab.recrawl(`${lab.site.url}a.html`)).status).toBe('unchanged')
})

test('a source whose third page exceeds the parse limit skips the rest with one warning', async () => {
  let parsed = 0
  const wrapParse = (pool: ParsePool): ParsePool => ({
    ...pool,
    parse: (request, turn) => {
      if (!request.page.url.includes('/slow')) return pool.parse(request, turn)
      parsed += 1
      if (parsed <= 3) return Promise.reject(new ParseLimit('too slow'))
      // They wait for a thread until they are aborted.
      const { signal } = turn
      return new Promise((_, fail) => {
        if (signal.aborted) fail(signal.reason)
        signal.addEventListener('abort', () => fail(signal.reason))
      })
    },
  })
  lab = await openLab({ wrapParse })
  const slow = Array.from({ length: 60 }, (_, at) => `slow${at}.html`)
  lab.writePages(slow)
  const source = await lab.addSource()
  lab.site.pages.set('/a.html', htmlPage('A', 'Words of a.'))
  await lab.addSource({ type: 'url', url: `${lab.site.url}a.html` })
  const run = await lab.sync()
  expect(run).toMatchObject({ status: 'completed', pages: { added: 2, failed: 60 } })
  expect(new Set(Object.values(await lab.reasonsOf(run)))).toEqual(new Set(['parse']))
  // No page is requested anymore; those in progress at the third failure are finished.
  expect(lab.site.requests.filter(({ path }) => path.startsWith('/slow')).length).toBeLessThan(30)
  const finished = await lab.eventsOf(run, 'source_finished')
  expect(finished.filter(({ level }) => level === 'warning')).toMatchObject([{ sourceUuid: source.uuid }])
})
