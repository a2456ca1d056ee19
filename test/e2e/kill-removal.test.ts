// kill -9 of a real process after most pages of a site disappeared: the first run that misses them only holds the removal, even
// if it is killed and resumed. The next run removes them all, even if it is resumed.
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openStore } from '../../services/drivers.ts'
import { createFolder } from '../folder.ts'
import { disagreements } from './agreement.ts'
import { doom, type Moment, takeDoom } from './kill/doom.ts'
import { type LecternProcess, runEnded, spawnLectern } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

const paths = Array.from({ length: 12 }, (_, at) => `/p${at}.html`)
const missing = paths.slice(3)
const slug = 'removed'

vi.setConfig({ testTimeout: 600_000 })

const data = createFolder()
let site: Site
let lectern: LecternProcess
let project: string

beforeAll(async () => {
  site = await openSite({ '/': htmlPage('Start', 'Where to begin.', paths) })
  lectern = await start()
  const { body } = await lectern.call('POST', '/api/v2/projects/', { name: 'Removed', slug })
  project = body.uuid
  await lectern.call('POST', `/api/v2/projects/${slug}/sources/`, { type: 'site', url: site.url })
})
afterAll(async () => {
  await lectern.kill()
  await site.close()
})
/** Indexes all pages, then deletes most from the site. */
beforeEach(async () => {
  for (const path of paths) site.pages.set(path, htmlPage(path, `Words of ${path}.`))
  expect(await sync()).toMatchObject({ status: 'completed', pages: { failed: 0 } })
  for (const path of missing) site.pages.delete(path)
})

async function start() {
  const hook = new URL('kill/doomed-process.ts', import.meta.url).href
  const started = await spawnLectern({ data, env: { NODE_OPTIONS: `--import=${hook}` } })
  await started.ready
  return started
}

async function sync() {
  const { body: run } = await lectern.call('POST', `/api/v2/projects/${slug}/sync/`)
  return runEnded(lectern, slug, run.uuid)
}

/** A run whose process is killed at the moment, and which the next process resumes to its end. */
async function syncKilledAt(moment: Moment) {
  doom(data, moment)
  const exited = once(lectern.process, 'exit')
  // The process may die before it answers.
  await lectern.call('POST', `/api/v2/projects/${slug}/sync/`).catch(() => {})
  await exited
  expect(takeDoom(data), 'the moment came').toBe(true)
  lectern = await start()
  const { body: run } = await lectern.call('GET', `/api/v2/projects/${slug}/sync/`)
  return runEnded(lectern, slug, run.uuid)
}

async function indexedPaths() {
  expect(await disagreements(data, project, true)).toEqual([])
  const store = await openStore({ data })
  const pages = await store.pages.scan(project, null, 100)
  await store.close()
  return pages.map(({ url }) => new URL(url).pathname).sort()
}

const late = (call: string, after: boolean): Moment => ({ call, nth: 1, after, late: true })
const everything = ['/', ...paths].sort()
const remaining = everything.filter((path) => !missing.includes(path))

test.each([
  ['after they were held', late('pages.hold', true)],
  ['before the run finished', late('runs.finish', false)],
])('a kill %s removes no missing page; the next run removes all', async (_, moment) => {
  const held = await syncKilledAt(moment)
  expect(held).toMatchObject({ status: 'completed', pages: { removed: 0 } })
  expect(await indexedPaths()).toEqual(everything)
  const { body } = await lectern.call(
    'GET',
    `/api/v2/projects/${slug}/sync/${held.uuid}/events/?type=removals_held`,
  )
  expect(body.count).toBe(1)
  expect(await sync()).toMatchObject({ status: 'completed', pages: { removed: missing.length } })
  expect(await indexedPaths()).toEqual(remaining)
})

test.each([
  ['before the removal', late('pages.remove', false)],
  ['after the removal', late('pages.remove', true)],
  ['before their units are deleted', late('index.remove', false)],
])('a kill %s leaves nothing of removed pages', async (_, moment) => {
  expect(await sync()).toMatchObject({ pages: { removed: 0 } })
  const removing = await syncKilledAt(moment)
  expect(removing).toMatchObject({ status: 'completed', pages: { removed: missing.length } })
  expect(await indexedPaths()).toEqual(remaining)
})
