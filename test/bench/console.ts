// The console in Chromium: size, time to use, long lists, and the server's cost of open consoles.
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import type { Project } from '../../services/store/project.ts'
import type { Store } from '../../services/store/store.ts'
import { writeLongRun } from '../console/long-run.ts'
import { project } from '../contract/store-case.ts'
import { openBrowser } from '../e2e/browser.ts'
import { adminKey, type LecternProcess } from '../e2e/lectern-process.ts'
import { htmlPage, openSite } from '../e2e/site.ts'
import type { BenchOptions } from './bench-options.ts'
import { openFilledLectern } from './lectern.ts'
import { type Table, toTarget } from './report.ts'
import { median, timed } from './statistics.ts'
import { readUsage } from './usage.ts'

const projectCount = 200
const eventCount = 50_000
const pageCount = 100_000
const consoleCount = 10
const watchedMs = 20_000

export async function measureConsole({ rounds }: BenchOptions): Promise<Table[]> {
  const { lectern, slug, filled } = await openFilledLectern(fill)
  const browser = await openBrowser()
  try {
    const list = await timed(() => lectern.call('GET', '/api/v2/projects/pages/pages/?limit=100'))
    const counts = await timed(() => lectern.call('GET', '/api/v2/projects/pages/pages/counts/'))
    const events = `projects/${slug}/runs/${filled.events}`
    const firsts = []
    const overviews = []
    const runs = []
    const pages = []
    for (let round = 0; round < rounds; round++) {
      firsts.push(await measureFirst(browser, lectern))
      overviews.push(await measurePaint(browser, lectern, '', '/status/', projectCount))
      runs.push(await measurePaint(browser, lectern, events, '/events/?limit=100', 20))
      pages.push(await measurePaint(browser, lectern, 'projects/pages/pages', '/pages/?limit=', 20))
    }
    const of = <Name extends string>(all: Record<Name, number>[], name: Name) =>
      median(all.map((one) => one[name]))
    const lookup = await measureLookup(lectern, rounds * 20)
    const watching = await measureWatching(browser, lectern)
    const targets: [what: string, figure: number, max: number][] = [
      ['first load, KB compressed', of(firsts, 'size'), 70],
      ['usable at 4× slower CPU, ms', of(firsts, 'ms'), 1_000],
      [`${projectCount} projects after the data, ms`, of(overviews, 'ms'), 300],
      [`${eventCount} events: first paint after the data, ms`, of(runs, 'ms'), 500],
      [`${eventCount} events: nodes`, of(runs, 'nodes'), 2_000],
      [`${eventCount} events: heap, MB`, of(runs, 'heap'), 60],
      [`${pageCount} pages: first paint after the data, ms`, of(pages, 'ms'), 500],
      [`${pageCount} pages: nodes`, of(pages, 'nodes'), 2_000],
      [`${pageCount} pages: heap, MB`, of(pages, 'heap'), 60],
      [`first answer of pages/ at ${pageCount} addresses, ms`, list, 200],
      [`first answer of pages/counts/ at ${pageCount} addresses, ms`, counts, 300],
      [`lookup at ${pageCount} pages, ms`, lookup, 200],
      [`${consoleCount} consoles on a live run, % of a core`, watching.share, 2],
      ['a cancel is visible to who asked for it, ms', watching.cancelled, 1_000],
      ['a cancel is visible to all who watch, ms', watching.cancelledForAll, 1_000],
    ]
    const rows = targets.map(([what, figure, max]) => toTarget(what, figure, '≤', max))
    return [{ title: 'Console: targets', rows }]
  } finally {
    await browser.close()
    await lectern.remove()
  }
}

async function fill(store: Store, first: Project): Promise<{ events: string }> {
  for (let at = 1; at < projectCount; at++) {
    const name = at === 1 ? 'pages' : `project-${String(at).padStart(3, '0')}`
    await store.projects.insert(project(name, { team: first.team, slug: name, name }))
  }
  await writeLongRun(store, (await store.projects.bySlug('pages'))!, pageCount)
  return { events: await writeLongRun(store, first, eventCount) }
}

async function openConsole(browser: Browser, { baseUrl }: LecternProcess, path: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 820 } })
  await context.addInitScript((key) => sessionStorage.setItem('lectern-console-key', key), adminKey)
  const page = await context.newPage()
  await page.goto(`${baseUrl}/console/${path}`)
  return page
}

/** Bytes of scripts and styles, and the time until the first screen is complete, on a processor four times as slow. */
async function measureFirst(browser: Browser, lectern: LecternProcess) {
  const page = await openConsole(browser, lectern, 'projects/pages/runs')
  const network = await page.context().newCDPSession(page)
  await network.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const begun = performance.now()
  await page.goto(`${lectern.baseUrl}/console/projects/project-002/runs`)
  await page.getByRole('button', { name: 'Start a sync' }).waitFor()
  const ms = performance.now() - begun
  const bytes = await page.evaluate<number>(`performance.getEntries()
    .filter((entry) => entry.encodedBodySize && !entry.name.includes('/api/'))
    .reduce((sum, entry) => sum + entry.encodedBodySize, 0)`)
  await page.context().close()
  return { ms, size: bytes / 1024 }
}

/** From the last response with this text in its address until the number of rows is painted. */
async function measurePaint(
  browser: Browser,
  lectern: LecternProcess,
  path: string,
  call: string,
  rows: number,
) {
  const page = await openConsole(browser, lectern, path)
  const ms = await page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      const isDrawn = [...document.querySelectorAll('tbody tr')].filter((row) => row.querySelector('a')).length >= ${rows}
      if (!isDrawn) return requestAnimationFrame(look)
      const answers = performance.getEntriesByType('resource').filter(({ name }) => name.includes('${call}'))
      resolve(performance.now() - Math.max(...answers.map(({ responseEnd }) => responseEnd)))
    }
    look()
  })`)
  const browserPage = await page.context().newCDPSession(page)
  await browserPage.send('HeapProfiler.collectGarbage')
  const { usedSize } = await browserPage.send('Runtime.getHeapUsage')
  const nodes = await page.locator('*').count()
  await page.context().close()
  return { ms, nodes, heap: usedSize / 2 ** 20 }
}

async function measureLookup(lectern: LecternProcess, times: number): Promise<number> {
  const taken: number[] = []
  for (let n = 0; n < times; n++) {
    const at = (n * 7919) % pageCount
    const url = encodeURIComponent(`https://docs.example.com/manual/part-${at % 100}/page-${at}.html`)
    taken.push(await timed(() => lectern.call('GET', `/api/v2/projects/pages/pages/lookup/?url=${url}`)))
  }
  return median(taken)
}

/** For a run that waits for its site: processor time while consoles watch it, minus that without watchers; then one console cancels it. */
async function measureWatching(browser: Browser, lectern: LecternProcess) {
  // Each page times out after half a minute, eight at a time, so the run outlasts the measurement.
  const names = Array.from({ length: 100 }, (_, at) => `silent-${at}.html`)
  const silent = names.map((name) => [`/${name}`, () => {}] as const)
  const site = await openSite({ '/': htmlPage('Slow', 'It waits.', names), ...Object.fromEntries(silent) })
  const slug = 'project-003'
  await lectern.call('POST', `/api/v2/projects/${slug}/sources/`, { type: 'site', url: site.url })
  const { body } = await lectern.call('POST', `/api/v2/projects/${slug}/sync/`, {})
  await delay(3_000)
  const alone = await readShare(lectern)
  const open = Array.from({ length: consoleCount }, () =>
    openConsole(browser, lectern, `projects/${slug}/runs/${body.uuid}`),
  )
  const consoles = await Promise.all(open)
  await Promise.all(consoles.map((page) => page.getByRole('heading', { name: 'running' }).waitFor()))
  await delay(2_000)
  const watched = await readShare(lectern)
  const seen = consoles.map((page) => page.getByRole('heading', { name: 'cancelled' }).waitFor())
  const asked = performance.now()
  await consoles[0]!.getByRole('button', { name: 'Cancel' }).click()
  await seen[0]
  const cancelled = performance.now() - asked
  await Promise.all(seen)
  const cancelledForAll = performance.now() - asked
  for (const page of consoles) await page.context().close()
  await site.close()
  return { share: Math.max(0, watched - alone), cancelled, cancelledForAll }
}

/** Percent of a core. */
async function readShare({ process }: LecternProcess): Promise<number> {
  const before = await readUsage(process.pid!)
  await delay(watchedMs)
  const after = await readUsage(process.pid!)
  return ((after.cpu - before.cpu) / (watchedMs / 1_000)) * 100
}
