// A real manual end to end: Debian's Python manual, crawled over loopback, searched like a reader would, and synced
// again without writes.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LecternProcess, type Run, startLectern, syncToEnd } from './lectern-process.ts'
import { type Handler, openSite, type Site } from './site.ts'

const root = '/usr/share/doc/python3.11/html'
const isInstalled = existsSync(join(root, 'index.html'))

if (!isInstalled && !process.env.CI) {
  console.warn('manuals.test.ts is skipped; it needs the Python manual: apt-get install python3.11-doc')
}

/** Serves a file of the manual like a plain server, with conditional requests. */
function fileHandler(path: string): Handler {
  const { size, mtimeMs } = statSync(join(root, path))
  const etag = `"${size}-${mtimeMs}"`
  return (request, response) => {
    if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end()
    response.writeHead(200, { 'content-type': 'text/html', etag })
    response.end(readFileSync(join(root, path)))
  }
}

function manualPages(): Record<string, Handler> {
  const files = globSync('**/*.html', { cwd: root }).map((path) => [`/${path}`, fileHandler(path)])
  return { '/': fileHandler('index.html'), ...Object.fromEntries(files) }
}

let site: Site
let lectern: LecternProcess
let first: Run

describe.skipIf(!isInstalled && !process.env.CI)('the Python manual', () => {
  beforeAll(async () => {
    site = await openSite(manualPages())
    lectern = await startLectern()
    await lectern.call('POST', '/api/v2/projects/', { name: 'Python' })
    const source = { type: 'site', url: site.url, exclude: ['/genindex*.html', '/search.html'] }
    const added = await lectern.call('POST', '/api/v2/projects/python/sources/', source)
    expect(added.status).toBe(201)
    first = await syncToEnd(lectern, 'python')
  }, 900_000)

  afterAll(async () => {
    await lectern.remove()
    await site.close()
  })

  test('is crawled to the end, with counts that add up', async () => {
    expect(first).toMatchObject({ status: 'completed', error: null })
    const { discovered, added, unchanged, updated, skipped, failed, pending, fetched } = first.pages
    expect([unchanged, updated, failed, pending]).toEqual([0, 0, 0, 0])
    expect(added! + skipped!).toBe(discovered)
    expect(added).toBeGreaterThan(450)
    expect(fetched).toBe(site.requests.filter(({ path }) => path !== '/robots.txt').length)
    const { body: sources } = await lectern.call('GET', '/api/v2/projects/python/sources/')
    expect(sources.results[0].page_count).toBe(added)
  })

  test.each([
    ['asyncio.create_task', 'library/asyncio-task.html#asyncio.create_task'],
    ['how to run a subprocess with a timeout', 'library/subprocess.html#subprocess.run'],
  ])('answers %s with the right section first', async (question, section) => {
    const path = `/api/v2/projects/python/search/?q=${encodeURIComponent(question)}`
    const { body } = await lectern.call('GET', path)
    expect(body.results[0].url).toBe(`${site.url}${section}`)
    expect(body.results[0].fragment).not.toBe('')
  })

  test('is not written again by a sync without changes', async () => {
    const second = await syncToEnd(lectern, 'python')
    const { discovered, skipped } = first.pages
    expect(second.status).toBe('completed')
    expect(second.pages).toMatchObject({
      discovered,
      unchanged: discovered! - skipped!,
      skipped,
      added: 0,
      updated: 0,
      removed: 0,
      failed: 0,
    })
    const events = `/api/v2/projects/python/sync/${second.uuid}/events/?limit=1`
    for (const type of ['page_added', 'page_updated', 'page_removed']) {
      expect((await lectern.call('GET', `${events}&type=${type}`)).body.count).toBe(0)
    }
  })
})
