// A run that may have crashed a thread is resumed alone, before the others. If it is only slow, it does not block them for long.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAllowList } from '../../crawler/address.ts'
import { createFetcher } from '../../crawler/fetch.ts'
import { openIndex, openStore } from '../../services/drivers.ts'
import { createCredentialKeeper } from '../../services/source/credentials.ts'
import type { Store } from '../../services/store/store.ts'
import { createWork, type WorkApi } from '../../workflows/local/work.ts'
import { openParsePool } from '../../workflows/parse/parse-pool.ts'
import { at, project, run, source } from '../contract/store-case.ts'
import { htmlPage, openSite, type Site } from '../e2e/site.ts'
import { createFolder } from '../folder.ts'

const [slow, good] = [randomUUID(), randomUUID()]

let data: string
let site: Site
/** Does not even answer for robots.txt. */
let silent: Site
let store: Store
const works: WorkApi[] = []

beforeEach(async () => {
  data = createFolder()
  site = await openSite({ '/good': htmlPage('Good', 'What is served at once.') })
  silent = await openSite({ '/robots.txt': () => {} })
  store = await openStore({ data })
})
afterEach(async () => {
  for (const work of works.splice(0)) await work.close()
  await store.close()
  await site.close()
  await silent.close()
})

/** Two runs of an earlier process: one without answers, during which a thread ended, and one queued after it. */
async function takeUpBoth(turnTimeout?: number) {
  for (const [name, path, { url }, createdAt] of [
    [slow, 'slow', silent, at(1)],
    [good, 'good', site, at(2)],
  ] as const) {
    await store.projects.insert(project(name))
    await store.sources.insert(source(`s-${path}`, { project: name, url: url + path, include: [] }))
    await store.runs.begin(run(`r-${path}`, { project: name, createdAt }))
  }
  await store.runs.claim('r-slow')
  const work = await takeUp(turnTimeout)
  await expect.poll(() => silent.requests).not.toEqual([])
  return work
}

/** Resumes like the next process. */
async function takeUp(turnTimeout?: number) {
  const work = createWork(
    {
      store: await openStore({ data }),
      index: await openIndex({ data }),
      fetcher: createFetcher({ allow: readAllowList('127.0.0.1'), timeoutMs: 600_000 }),
      parsePool: openParsePool(1),
      credentials: createCredentialKeeper(Buffer.alloc(32, 1)),
      now: () => new Date(),
      pageLimit: null,
      base: 'http://127.0.0.1',
      addressLimit: 100_000,
      report: () => {},
    },
    { turnTimeout },
  )
  works.push(work)
  await work.resume()
  return work
}

const statusOf = async (path: string, name: string) => (await store.runs.get(name, `r-${path}`))!.status

test('a run queued after it starts after a timeout', async () => {
  await takeUpBoth(100)
  await expect.poll(() => statusOf('good', good)).toBe('completed')
  expect(await statusOf('slow', slow)).toBe('running')
})

test.each([
  ['it is blamed if the thread ends while it runs alone', undefined, 4],
  ['it is not blamed if the thread ends after others have started', 100, 1],
])('%s', async (_what, turnTimeout, takenUp) => {
  await takeUpBoth()
  // The count is two, and remains so, after two threads have ended.
  for (const times of [1, 2]) expect(await store.runs.claim('r-slow')).toBe(times)
  await takeUp(turnTimeout)
  if (turnTimeout === undefined) {
    await expect.poll(() => silent.requests).toHaveLength(2)
  } else {
    await expect.poll(() => statusOf('good', good)).toBe('completed')
  }
  expect(await store.runs.claim('r-slow')).toBe(takenUp)
})

test('a run queued after it can be stopped at once', async () => {
  const work = await takeUpBoth()
  await store.runs.finish('r-good', { status: 'cancelled', at: new Date().toISOString(), error: null })
  await work.dropProject(good)
  expect(site.requests).toEqual([])
})

test('a new run of another project does not wait for it', async () => {
  const work = await takeUpBoth()
  const { run: next } = (await store.runs.begin(run('r-next', { project: good, createdAt: at(3) })))!
  await work.startSync(next)
  await expect.poll(() => statusOf('next', good)).toBe('completed')
  expect(await statusOf('slow', slow)).toBe('running')
})
