// The outcome of work that a killed process had begun: every run and recrawl ends, and the pages match the site.
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { openStore } from '../../../services/drivers.ts'
import type { Recrawl } from '../../../services/store/recrawl.ts'
import type { RunWithCounts } from '../../../services/store/run.ts'
import type { Store } from '../../../services/store/store.ts'
import type { LecternProcess } from '../lectern-process.ts'
import type { ChangingSite, Expected } from './changing-site.ts'
import { slug } from './writes.ts'

export interface Settling {
  data: string
  project: string
  site: ChangingSite
  expected: Expected
  /** Requests another sync at once. */
  supersedes: boolean
  /** The index was lost with the process: the next sync restores it. */
  losesIndex: boolean
  name: string
}

/** Milliseconds in which resumed work must end. Work that may have killed a process can delay others by a minute. */
const never = 180_000
const whole = { offset: 0, limit: 1_000 }
/** The number of runs before this edition of the site. */
let runsBefore = 1

/**
 * Waits until no work is in progress and compares the result with the site. If no run of this edition was started or none
 * completed, starts one.
 */
export async function settle(lectern: LecternProcess, settling: Settling): Promise<void> {
  const { data, project, supersedes, losesIndex, name } = settling
  const store = await openStore({ data })
  try {
    const [before] = await runsOf(store, project)
    const wasLive = before !== undefined && !isFinal(before.status)
    if (supersedes) await startAnother(lectern)
    await nothingLive(store, lectern, name)
    if (supersedes && wasLive) await expectSuperseded(store, before, name)
    const isCompleted = (await runsOf(store, project)).some(({ status }) => status === 'completed')
    if (!isCompleted || (losesIndex && !wasLive)) {
      await startAnother(lectern)
      await nothingLive(store, lectern, name)
    }
    await expectRuns(store, await runsOf(store, project), settling)
    await expectRecrawls(store, settling)
    await expectSite(store, settling)
    runsBefore += (await runsOf(store, project)).length
  } finally {
    await store.close()
  }
}

/** Runs of this edition, newest first. */
async function runsOf(store: Store, project: string): Promise<RunWithCounts[]> {
  const { rows } = await store.runs.list(project, whole)
  return rows.slice(0, rows.length - runsBefore)
}

const isFinal = (status: string) => !['queued', 'running'].includes(status)

async function startAnother(lectern: LecternProcess) {
  const { status, body } = await lectern.call('POST', `/api/v2/projects/${slug}/sync/`)
  expect(status, JSON.stringify(body)).toBe(202)
}

/** Resolves when every run and recrawl of every project has ended. */
export async function nothingLive(store: Store, lectern: LecternProcess, name: string): Promise<void> {
  const waitsUntil = Date.now() + never
  for (;;) {
    const live = [...(await store.runs.live()), ...(await store.recrawls.live())]
    if (live.length === 0) return
    if (Date.now() > waitsUntil) {
      const open = live.map(({ uuid, status }) => `${uuid} is ${status}`).join(', ')
      throw new Error(`${name}: never ended: ${open}\n${lectern.output.slice(-12).join('\n')}`)
    }
    await delay(20)
  }
}

async function expectSuperseded(store: Store, { project, uuid }: RunWithCounts, name: string) {
  const run = await store.runs.get(project, uuid)
  const [newest] = (await store.runs.list(project, whole)).rows
  // It may have ended before.
  if (run!.status !== 'completed')
    expect(run, name).toMatchObject({ status: 'cancelled', supersededBy: newest!.uuid })
}

/** Checks the counts against the specification: they add up and match the site. */
async function expectRuns(store: Store, runs: RunWithCounts[], { site, name }: Settling) {
  for (const { status, pages, supersededBy } of runs) {
    expect(supersededBy === null ? 'completed' : 'cancelled', name).toBe(status)
    const { added, updated, unchanged, skipped, failed, pending } = pages
    expect(pages.discovered, name).toBe(added + updated + unchanged + skipped + failed + pending)
  }
  const { uuid, pages } = runs[0]!
  const listed = 1 + site.listed.length - 1
  const { rows } = await store.runs.events(uuid, { type: 'page_skipped' }, whole)
  const skipped = rows.map(({ url, reason }) => [new URL(url!).pathname, reason])
  expect(Object.fromEntries(skipped), name).toEqual({
    [site.gone()]: 'gone',
    '/private/draft.html': 'excluded',
  })
  expect(pages, name).toMatchObject({ pending: 0, skipped: skipped.length })
  const read = pages.added + pages.updated + pages.unchanged
  expect(read, name).toBeGreaterThanOrEqual(listed)
  expect(read, name).toBeLessThanOrEqual(listed + site.unlisted.length)
  // The page that this edition removed, whichever run removed it.
  const removed = runs.reduce((sum, run) => sum + run.pages.removed, 0)
  expect(removed, name).toBe(1)
}

async function expectRecrawls(store: Store, { project, expected, name }: Settling) {
  const { rows } = await store.recrawls.list(project, whole)
  for (const recrawl of rows) {
    expect(['indexed', 'unchanged'], `${name}: ${JSON.stringify(recrawl satisfies Recrawl)}`).toContain(
      recrawl.status,
    )
    const path = new URL(recrawl.url).pathname
    const [page] = await store.pages.byUrls(project, [recrawl.url])
    if (expected.has(path)) expect(page, `${name}: ${path} was recrawled`).not.toBeNull()
  }
}

/** Checks that the index has exactly the pages of the site, each with the sections of the edition. */
async function expectSite(store: Store, { project, site, expected, name }: Settling) {
  const found = new Map<string, string[]>()
  for (const { uuid, url } of await store.pages.scan(project, null, 1_000)) {
    const content = await store.pages.content(uuid)
    const texts = content!.sections.map(({ blocks }) => JSON.stringify(blocks))
    const sentences = texts.flatMap(
      (text) => text.match(/Part \d of [^.]* tells what edition \d+ says\./g) ?? [],
    )
    found.set(new URL(url).pathname, sentences)
  }
  const unread = site.unlisted.filter((path) => !found.has(path))
  const whole = [...expected].filter(([path]) => !unread.includes(path))
  expect(Object.fromEntries([...found].sort()), name).toEqual(Object.fromEntries(whole.sort()))
}
