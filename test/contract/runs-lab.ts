// The environment for cases of the runs port: a driver on a new data folder, and a project and a site per case.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pTimeout from 'p-timeout'
import { restoreSchedules } from '../../app/application.ts'
import { openIndex, openStore } from '../../services/drivers.ts'
import { isAway } from '../../services/errors.ts'
import type { SearchIndex } from '../../services/index/search-index.ts'
import type { Runs } from '../../services/runs/runs.ts'
import type { Recrawl } from '../../services/store/recrawl.ts'
import type { Run, RunWithCounts } from '../../services/store/run.ts'
import type { Store } from '../../services/store/store.ts'
import { cancelRun, isLive, startRun, startScheduled } from '../../services/sync/start-run.ts'
import { htmlPage, openSite, type Site } from '../e2e/site.ts'
import { createFolder } from '../folder.ts'
import { project, recrawl, source } from './store-case.ts'

/** What a driver is opened on. */
export interface RunsPlace {
  data: string
  store: Store
  startScheduled(project: string): Promise<void>
  report(error: unknown): void
}

/** A driver with its workers. */
export interface RunsDriver {
  runs: Runs
  /** Advances to the moment at which the project's schedule is due next, and returns it; null if there is no schedule. */
  comeDue(project: string): Promise<Date | null>
  /** Closes the workers of the driver. */
  closeWorkers(): Promise<void>
}

export type OpenRunsDriver = (place: RunsPlace) => Promise<RunsDriver>

/** A page whose first response the case delays. */
export interface HeldPage {
  /** Resolves when the page is requested. */
  asked: Promise<void>
  /** Resolves when the client has aborted the request. */
  dropped: Promise<void>
  /** Answers the first request. The site then behaves as before. */
  release(): void
}

/** The environment of a case. */
export interface RunsLab {
  project: string
  site: Site
  store: Store
  index: SearchIndex
  runs: Runs
  /** Writes a start page that links to pages with these names, each with a different text. */
  writePages(names: string[], text?: string): void
  /** Holds the first request for a page and answers it with `late`; later requests get the written page. */
  hold(path: string, late?: string): HeldPage
  begin(): Promise<Run>
  cancel(run: Run): Promise<void>
  runOf(run: { uuid: string }): Promise<RunWithCounts>
  /** Waits for the end of a run, and checks the invariants of every run. */
  ended(run: { uuid: string }): Promise<RunWithCounts>
  sync(): Promise<RunWithCounts>
  /** Queues the recrawl of a page and starts it. */
  recrawl(path: string): Promise<string>
  /** Waits for the end of a recrawl. */
  outcome(uuid: string): Promise<Recrawl>
  /** Sets the schedule like the project service: in the store, then in the driver. */
  setSchedule(cron: string | null): Promise<void>
  comeDue(): Promise<Date | null>
  /** Waits for the run that a schedule started, and for its end. */
  scheduledRun(): Promise<RunWithCounts>
  /** The text of a page that readers get; null if there is none. */
  textOf(path: string): Promise<string | null>
  /** The page versions with units in the project's index. */
  versions(): Promise<{ page: string; version: number }[]>
  /** Another project with its own site, on the same driver. */
  beside(): Promise<RunsLab>
  /** Closes the driver during its work; `start` opens it again like the next process. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Waits until `test` returns true. */
  until(what: string, test: () => Promise<boolean>): Promise<void>
}

export interface RunsBench {
  /** Errors that the driver reported and no caller received. */
  errors: unknown[]
  /** Runs a case on a new project. */
  run(work: (lab: RunsLab) => Promise<void>): Promise<void>
  close(): Promise<void>
}

const now = () => new Date()

/** A case of the port's contract. */
export type RunsCases = Record<string, (lab: RunsLab) => Promise<void>>

/** Milliseconds after which a case gives up waiting. */
const timeout = 270_000

export async function openRunsBench(open: OpenRunsDriver): Promise<RunsBench> {
  const data = createFolder()
  const store = await openStore({ data })
  const index = await openIndex({ data })
  const errors: unknown[] = []
  const identity = { store, now, newUuid: randomUUID }
  const place: RunsPlace = {
    ...{ data, store },
    startScheduled: (uuid) => startScheduled({ ...identity, runs: driver.runs }, uuid),
    report: (error) => errors.push(error),
  }
  let driver = await open(place)
  let isOpen = true

  /** A project with its site and a source at the site's root; `cleanUps` delete both. */
  async function openLab(cleanUps: (() => Promise<void>)[]): Promise<RunsLab> {
    const uuid = randomUUID()
    const site = await openSite()
    await store.projects.insert(project(uuid, { slug: uuid, createdAt: now().toISOString() }))
    const listed = { project: uuid, url: site.url, include: [], exclude: ['/old/**'], maxDepth: null }
    await store.sources.insert(source(randomUUID(), listed))
    /** Retries like a core while the driver's server is unavailable or too busy. */
    const takeUp = () =>
      restoreSchedules(store, lab.runs).then(
        () => true,
        (error) => {
          if (!isAway(error)) throw error
          return false
        },
      )
    cleanUps.push(async () => {
      await store.projects.delete(uuid)
      await driver.runs.dropProject(uuid)
      await site.close()
    })

    const lab: RunsLab = {
      ...{ project: uuid, site, store, index },
      runs: driver.runs,

      writePages(names, text = 'Words of') {
        const links = names.map((name) => `/${name}`)
        site.pages.set('/', htmlPage('Start', 'Where to begin.', links))
        for (const name of names) site.pages.set(`/${name}`, htmlPage(name, `${text} ${name}.`))
      },

      hold(path, late = 'Late words.') {
        const [asked, dropped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const release = Promise.withResolvers<void>()
        const page = site.pages.get(path)!
        site.pages.set(path, async (_, response) => {
          site.pages.set(path, page)
          response.once('close', () => {
            if (!response.writableFinished) dropped.resolve()
          })
          asked.resolve()
          await release.promise
          response.writeHead(200, { 'content-type': 'text/html' }).end(htmlPage(path, late))
        })
        return {
          asked: inTime(asked.promise, `${path} is requested`),
          dropped: inTime(dropped.promise, `the request for ${path} is aborted`),
          release: release.resolve,
        }
      },

      async begin() {
        return startRun({ ...identity, runs: lab.runs }, (await store.projects.byUuid(uuid))!, 'api')
      },

      cancel: (run) => cancelRun({ ...identity, runs: lab.runs }, run),

      runOf: async (run) => (await store.runs.get(uuid, run.uuid))!,

      async ended(run) {
        await lab.until('the run ends', async () => !isLive(await lab.runOf(run)))
        const ended = await lab.runOf(run)
        const { discovered, added, updated, unchanged, skipped, failed, pending } = ended.pages
        if (discovered !== added + updated + unchanged + skipped + failed + pending) {
          throw new Error(`the counts of the run do not add up: ${JSON.stringify(ended.pages)}`)
        }
        return ended
      },

      sync: async () => lab.ended(await lab.begin()),

      async recrawl(path) {
        const begun = recrawl(randomUUID(), { project: uuid, url: new URL(path, site.url).href })
        await store.recrawls.insert({ ...begun, createdAt: now().toISOString() })
        await lab.runs.startRecrawl(begun)
        return begun.uuid
      },

      async outcome(recrawled) {
        const get = async () => (await store.recrawls.get(uuid, recrawled))!
        await lab.until('the recrawl ends', async () => (await get()).finishedAt !== null)
        return get()
      },

      async setSchedule(schedule) {
        const row = (await store.projects.byUuid(uuid))!
        const config = { ...row.config, sync: { schedule } }
        await store.projects.update({ ...row, config, revision: row.revision + 1 })
        await lab.runs.schedule(uuid, schedule)
      },

      comeDue: () => driver.comeDue(uuid),

      async scheduledRun() {
        const latest = () => store.runs.latest(uuid)
        await lab.until('a run starts', async () => (await latest())?.trigger === 'schedule')
        return lab.ended((await latest())!)
      },

      async textOf(path) {
        const [page] = await store.pages.byUrls(uuid, [new URL(path, site.url).href])
        return page ? JSON.stringify(await store.pages.content(page.uuid)) : null
      },

      async versions() {
        const found: { page: string; version: number }[] = []
        for await (const version of index.versions(uuid)) found.push(version)
        return found
      },

      beside: () => openLab(cleanUps),

      stop: async () => {
        isOpen = false
        await lab.runs.close()
        await driver.closeWorkers()
      },

      async start() {
        driver = await open(place)
        isOpen = true
        lab.runs = driver.runs
        await lab.until('schedules are restored', takeUp)
      },

      async until(what, test) {
        let isLate = false
        delay(timeout, undefined, { ref: false }).then(() => (isLate = true))
        while (!(await test())) {
          if (isLate) throw new Error(`timed out waiting until ${what}`)
          // The port has no other way to wait.
          await delay(20)
        }
      },
    }
    return lab
  }

  return {
    errors,
    async run(work) {
      const cleanUps: (() => Promise<void>)[] = []
      try {
        await work(await openLab(cleanUps))
      } finally {
        // The case failed before it opened the driver again.
        if (!isOpen) driver = await open(place)
        isOpen = true
        for (const cleanUp of cleanUps) await cleanUp()
      }
    },
    async close() {
      await driver.runs.close()
      await driver.closeWorkers()
      await index.close()
      await store.close()
    },
  }
}

/** Rejects if the event does not occur in time; the promise may be unobserved. */
function inTime(event: Promise<void>, what: string): Promise<void> {
  const waited = pTimeout(event, { milliseconds: timeout, message: `timed out waiting until ${what}` })
  waited.catch(() => {})
  return waited
}
