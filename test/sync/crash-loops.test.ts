// A run that may have ended a thread is taken up again before the others. Where it is merely slow, it holds up nobody for long.
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
/** Does not even say what may be crawled. */
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

/** Two runs that an earlier process has begun: one that nobody answers, amid which a thread has ended, and one behind it. */
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

/** As the next process does. */
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

test('what waits behind it begins after a while', async () => {
  await takeUpBoth(100)
  await expect.poll(() => statusOf('good', good)).toBe('completed')
  expect(await statusOf('slow', slow)).toBe('running')
})

test.each([
  ['it is given up for what ends the thread while it is alone', undefined, 4],
  ['it is not given up for what ends the thread when others have begun', 100, 1],
])('%s', async (_what, turnTimeout, takenUp) => {
  await takeUpBoth()
  // It stands, and goes on to stand, where two threads have ended.
  for (const times of [1, 2]) expect(await store.runs.claim('r-slow')).toBe(times)
  await takeUp(turnTimeout)
  if (turnTimeout === undefined) {
    await expect.poll(() => silent.requests).toHaveLength(2)
  } else {
    await expect.poll(() => statusOf('good', good)).toBe('completed')
  }
  expect(await store.runs.claim('r-slow')).toBe(takenUp)
})

test('what waits behind it is stopped at once', async () => {
  const work = await takeUpBoth()
  await store.runs.finish('r-good', { status: 'cancelled', at: new Date().toISOString(), error: null })
  await work.dropProject(good)
  expect(site.requests).toEqual([])
})

test('a new run of a project does not wait for it', async () => {
  const work = await takeUpBoth()
  const { run: next } = (await store.runs.begin(run('r-next', { project: good, createdAt: at(3) })))!
  await work.startSync(next)
  await expect.poll(() => statusOf('next', good)).toBe('completed')
  expect(await statusOf('slow', slow)).toBe('running')
})
