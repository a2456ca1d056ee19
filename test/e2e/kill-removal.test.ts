// kill -9 of a real process after most pages of a site disappeared: the first run that misses them only holds the removal, even
// if it is killed and resumed. The next run removes them all, even if it is resumed.
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openStore } from '../../services/drivers.ts'
import { createFolder } from '../folder.ts'
import { disagreements } from './agreement.ts'
import { doom, type Moment, takeDoom } from './kill/doom.ts'
import { type LecternProcess, runEnded, spawnLectern, syncToEnd } from './lectern-process.ts'
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

async function start() {
  const hook = new URL('kill/doomed-process.ts', import.meta.url).href
  const started = await spawnLectern({ data, env: { NODE_OPTIONS: `--import=${hook}` } })
  await started.ready
  return started
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

test('a kill after they were held removes no missing page; the next run, killed before the removal, removes all', async () => {
  for (const path of paths) site.pages.set(path, htmlPage(path, `Words of ${path}.`))
  expect(await syncToEnd(lectern, slug)).toMatchObject({ status: 'completed', pages: { failed: 0 } })
  for (const path of missing) site.pages.delete(path)

  const held = await syncKilledAt(late('pages.hold', true))
  expect(held).toMatchObject({ status: 'completed', pages: { removed: 0 } })
  expect(await indexedPaths()).toEqual(everything)
  const events = `/api/v2/projects/${slug}/sync/${held.uuid}/events/?type=removals_held`
  expect((await lectern.call('GET', events)).body.count).toBe(1)

  const removing = await syncKilledAt(late('pages.remove', false))
  expect(removing).toMatchObject({ status: 'completed', pages: { removed: missing.length } })
  expect(await indexedPaths()).toEqual(remaining)
})
