// A real manual crawled with the store on MongoDB and on SQLite: the same pages, outcomes, sources and events, also when
// the crawl is stopped in the middle and taken up again, and when it is done a second time.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LoggedEvent, Run } from '../../services/store/run.ts'
import type { Handler } from '../e2e/site.ts'
import { type Lab, openLab } from '../sync/lab.ts'
import { isMissing, openMongodbBackend } from './backend.ts'
import { databaseOf } from './mongodb-database.ts'

const root = '/usr/share/doc/postgresql-doc-15/html'
/** A third of the manual; links to the rest lead nowhere. */
const served = globSync('**/*.html', { cwd: root }).filter(
  (path) => path < 'g' || path.startsWith('index') || path.startsWith('q'),
)
/** In CI it must be: there the tests fail without it. */
const isInstalled = existsSync(join(root, 'index.html')) || process.env.CI !== undefined

/** A file of the manual as a plain server gives it, with conditional requests. */
function fileHandler(path: string): Handler {
  const { size, mtimeMs } = statSync(join(root, path))
  const etag = `"${size}-${mtimeMs}"`
  return (request, response) => {
    if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end()
    response.writeHead(200, { 'content-type': 'text/html', etag })
    response.end(readFileSync(join(root, path)))
  }
}

const pathOf = (url: string | null) => (url === null ? null : new URL(url).pathname)

/** All that the store says about the crawl, but for what differs from one crawl to the next: uuids, times, the port. */
async function outcome(lab: Lab, run: Run) {
  const { store, project } = lab
  const sources = await store.sources.all(project)
  const names = new Map(sources.map((source) => [source.uuid, source.name]))
  const pages = await store.pages.scan(project, null, 5_000)
  const events: LoggedEvent[] = []
  for (let count = 1; events.length < count; ) {
    const listed = await store.runs.events(run.uuid, {}, { offset: events.length, limit: 100 })
    count = listed.count
    events.push(...listed.rows)
  }
  return {
    sequences: events.every((event, at) => event.sequence === at + 1),
    counts: (await store.runs.get(project, run.uuid))?.pages,
    count: await store.pages.count(project),
    listed: [...(await store.sources.pageCounts(project))].map(([uuid, n]) => [names.get(uuid), n]).sort(),
    pages: pages
      .map(({ url, contentHash, title, sources }) => [
        pathOf(url),
        contentHash,
        title,
        sources.map((uuid) => names.get(uuid)).sort(),
      ])
      .sort(),
    events: events.map(({ type, url, reason }) => `${type} ${pathOf(url)} ${reason}`).sort(),
    swept: await store.pages.swept(project, 10),
  }
}

describe.skipIf(isMissing('ferretdb') || !isInstalled)(
  'the PostgreSQL manual on MongoDB',
  { timeout: 600_000 },
  () => {
    let server: Awaited<ReturnType<typeof openMongodbBackend>>
    let embedded: Lab
    let lab: Lab
    beforeAll(async () => {
      server = await openMongodbBackend()
      embedded = await openLab({ timeoutMs: 30_000 })
      lab = await openLab({ timeoutMs: 30_000, mongodb: databaseOf(server.url, `crawl_${process.pid}`) })
      for (const each of [embedded, lab]) {
        for (const path of served) each.site.pages.set(`/${path}`, fileHandler(path))
        each.site.pages.set('/', fileHandler('index.html'))
        await each.addSource({ name: 'all', maxDepth: 3, exclude: ['/bookindex.html'] })
        await each.addSource({ name: 'queries', url: `${each.site.url}queries.html`, type: 'url' })
      }
    }, 120_000)
    afterAll(async () => {
      await Promise.all([embedded.close(), lab.close()])
      await server.remove()
    })

    test('is crawled as on SQLite, though the crawl is stopped and taken up again', async () => {
      const expected = await embedded.sync()
      expect(expected.status).toBe('completed')
      const run = await lab.begin()
      await expect.poll(() => lab.store.pages.count(lab.project), { timeout: 300_000 }).toBeGreaterThan(100)
      await lab.restart()
      expect((await lab.ended(run)).status).toBe('completed')
      const { counts: _, ...found } = await outcome(lab, run)
      const { counts: __, ...wanted } = await outcome(embedded, expected)
      expect(found).toEqual({ ...wanted, events: [...wanted.events, 'run_resumed null null'].sort() })
      expect(wanted.count).toBeGreaterThan(300)
    })

    test('is unchanged when it is crawled again, and writes no page', async () => {
      const before = await lab.store.pages.scan(lab.project, null, 5_000)
      const run = await lab.sync()
      const { pages, swept, counts } = await outcome(lab, run)
      const again = await embedded.sync()
      expect(counts).toEqual((await outcome(embedded, again)).counts)
      expect([counts?.added, counts?.updated, counts?.removed]).toEqual([0, 0, 0])
      expect(pages.length).toBe(before.length)
      expect(swept).toEqual([])
      const after = await lab.store.pages.scan(lab.project, null, 5_000)
      expect(after.map((page) => page.version)).toEqual(before.map((page) => page.version))
    })

    test('loses the page that its site has lost, as on SQLite', async () => {
      for (const each of [embedded, lab]) {
        each.site.pages.delete('/queries.html')
        await each.sync()
      }
      const [found, wanted] = await Promise.all([lab, embedded].map((each) => each.indexedPaths()))
      expect(found).toEqual(wanted)
      expect(found).not.toContain('/queries.html')
    })
  },
)
