import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../services/drivers.ts'
import type { Runs } from '../../services/runs/runs.ts'
import type { Store } from '../../services/store/store.ts'
import { openLocalRuns } from '../../workflows/local/local-runs.ts'
import { project, recrawl, run, source } from '../contract/store-case.ts'
import { htmlPage, openSite, type Site } from '../e2e/site.ts'
import { createFolder } from '../folder.ts'

let data: string
let site: Site
let store: Store
let runs: Runs
let deaths: number

beforeEach(async () => {
  deaths = 0
  data = createFolder()
  store = await openStore({ data })
  const links = Array.from({ length: 5 }, (_, at) => `/p${at}.html`)
  site = await openSite({ '/': htmlPage('Start', 'Where to begin.', links) })
  for (const link of links) site.pages.set(link, htmlPage(link, `Words of ${link}.`))
  runs = await openLocalRuns({
    entry: new URL('../fixtures/mortal-work-thread.ts', import.meta.url),
    workerData: { data },
    startScheduled: async () => {},
    report: () => {
      deaths += 1
    },
    settleTime: 200,
  })
})
afterEach(async () => {
  await runs.close()
  await store.close()
  await site.close()
})

/** A project with one source and a started run. */
async function begin(name: string, path = '') {
  await store.projects.insert(project(name))
  await store.sources.insert(source(`s-${name}`, { project: name, url: site.url + path, include: [] }))
  const begun = await store.runs.begin(run(`r-${name}`, { project: name }))
  await runs.startSync(begun!.run)
}

async function ended(name: string) {
  const get = async () => (await store.runs.get(name, `r-${name}`))!
  await expect.poll(async () => (await get()).finishedAt).not.toBeNull()
  return get()
}

test('a run that crashes its thread three times at the same point fails, and the others complete', async () => {
  await begin('deadly', 'deadly')
  await begin('good')
  expect(await ended('deadly')).toMatchObject({
    status: 'failed',
    error: 'The run was interrupted 3 times at the same place, and failed.',
  })
  expect(await ended('good')).toMatchObject({ status: 'completed', pages: { added: 6 } })
  const { rows } = await store.runs.events('r-deadly', { type: 'run_finished' }, { offset: 0, limit: 9 })
  expect(rows).toMatchObject([{ level: 'error', message: expect.stringContaining('3 times') }])
  // The events of its first attempt (its start, and that of its source) counted as progress.
  expect(deaths).toBeLessThanOrEqual(4)
})

test('a recrawl that crashes its thread three times is dropped', async () => {
  await begin('good')
  await ended('good')
  await store.recrawls.insert(recrawl('c1', { project: 'good', url: `${site.url}deadly` }))
  await runs.startRecrawl({ uuid: 'c1', project: 'good' })
  await expect.poll(async () => (await store.recrawls.get('good', 'c1'))?.status).toBe('dropped')
  expect(deaths).toBe(3)
})

test('during the restart of a thread, runs start and end, and projects can be deleted', async () => {
  await begin('deadly', 'deadly')
  await expect.poll(() => deaths).toBeGreaterThan(0)
  await begin('good')
  await store.runs.finish('r-deadly', { status: 'cancelled', at: '2026-01-02T00:09:00.000Z', error: null })
  await runs.stopSync({ uuid: 'r-deadly', project: 'deadly' })
  await store.projects.delete('deadly')
  await runs.dropProject('deadly')
  await expect.poll(() => runs.ping()).toBeUndefined()
  expect(await ended('good')).toMatchObject({ status: 'completed' })
})
