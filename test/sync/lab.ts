// A project, a site on loopback, and the work of the in-process runner on real drivers, shared by the tests of syncs.
import { randomUUID } from 'node:crypto'
import { afterAll, expect, onTestFinished } from 'vitest'
import { readAllowList } from '../../crawler/address.ts'
import { createFetcher, type Fetcher, type FetcherOptions } from '../../crawler/fetch.ts'
import { openIndex, openStore } from '../../services/drivers.ts'
import type { SearchIndex } from '../../services/index/search-index.ts'
import { defaultConfig } from '../../services/project/project-change.ts'
import { createCredentialKeeper } from '../../services/source/credentials.ts'
import type { Recrawl } from '../../services/store/recrawl.ts'
import type { LoggedEvent, Run, RunWithCounts } from '../../services/store/run.ts'
import type { Source } from '../../services/store/source.ts'
import type { Store } from '../../services/store/store.ts'
import { cancelRun, startRun, startScheduled } from '../../services/sync/start-run.ts'
import { createWork, type WorkApi } from '../../workflows/local/work.ts'
import { openParsePool, type ParsePool } from '../../workflows/parse/parse-pool.ts'
import { project as projectRow, recrawl as recrawlRow, source as sourceRow } from '../contract/store-case.ts'
import { htmlPage, openSite, type Site } from '../e2e/site.ts'
import { createFolder } from '../folder.ts'

const project = 'b0a4ff3e-76f2-4f0e-8f6e-0a6f3a5b1c01'
const team = 'b0a4ff3e-76f2-4f0e-8f6e-0a6f3a5b1c02'
/** Encrypts the credentials of the lab's sources. */
export const credentials = createCredentialKeeper(Buffer.alloc(32, 1))
const now = () => new Date()
const at = () => now().toISOString()
/** Milliseconds between retries while a backend is unavailable. */
const retryPauses = Array<number>(10_000).fill(10)

export interface Lab {
  project: string
  site: Site
  /** Addresses that time out at once, because the site never answers them. Others have plenty of time, for slow machines. */
  silent: Set<string>
  store: Store
  index: SearchIndex
  work: WorkApi
  /** A site source at the site's root, with `fields` replaced. */
  addSource(fields?: Partial<Source>): Promise<Source>
  /** Starts a run without waiting for it. */
  begin(project?: string): Promise<Run>
  /** Simulates that the project's schedule is due. */
  comeDue(): Promise<void>
  cancel(run: Run): Promise<void>
  /** Waits for the project's work, and checks the invariants of every run. */
  ended(run: Run): Promise<RunWithCounts>
  /** Starts a run and waits for its end. */
  sync(): Promise<RunWithCounts>
  recrawl(url: string): Promise<Recrawl>
  eventsOf(run: { uuid: string }, type?: string): Promise<LoggedEvent[]>
  /** Path of each page that is not indexed → its skip or failure reason. */
  reasonsOf(run: { uuid: string }): Promise<Record<string, string | null>>
  indexedPaths(): Promise<string[]>
  /** Writes a start page that links to pages with these names, each with a different text. */
  writePages(names: string[], text?: string): void
  /** Closes the work during its execution, and opens it again like the next process. */
  restart(): Promise<void>
}

/** Shared by all labs of a test file, because its thread takes longer to start than most tests take. */
const parsePool = openParsePool(1)
afterAll(() => parsePool.close())

/** Closes when the test ends. `wrap`, `wrapParse`: wrap the store and the parse threads of the work. */
export async function openLab({
  pageLimit = null as number | null,
  addressLimit = 100_000,
  timeoutMs = 120_000,
  /** Options of the crawler's network. */
  network = {} as Pick<FetcherOptions, 'ca' | 'lookup' | 'nameServers'>,
  wrap = (store: Store) => store,
  wrapParse = (pool: ParsePool) => pool,
} = {}): Promise<Lab> {
  const site = await openSite()
  const data = createFolder()
  const errors: unknown[] = []
  const silent = new Set<string>()

  function openFetcher(): Fetcher {
    const options = { allow: readAllowList('127.0.0.1,docs.test'), timeoutMs, ...network }
    const [patient, hasty] = [createFetcher(options), createFetcher({ ...options, timeoutMs: 100 })]
    const forProject = (project: string): Fetcher => ({
      ...patient.forProject(project),
      fetchPage: (url, given) =>
        (silent.has(url) ? hasty : patient).forProject(project).fetchPage(url, given),
      forProject,
      close: async () => void (await Promise.all([patient.close(), hasty.close()])),
    })
    return forProject('')
  }

  /** What a process opens at its start. */
  async function start() {
    const store = await openStore({ data }, 'work')
    const index = await openIndex({ data })
    const resources = {
      store: wrap(store),
      index,
      fetcher: openFetcher(),
      parsePool: { ...wrapParse(parsePool), close: async () => {} },
      credentials,
      now,
      pageLimit,
      base: 'http://127.0.0.1',
      addressLimit,
      report: (error: unknown) => errors.push(error),
    }
    const work = createWork(resources, { retryPauses })
    return { store, index, work }
  }

  let { store, index, work } = await start()
  await store.teams.insert({ uuid: team, name: 'Team', createdAt: at() })
  await store.projects.insert(
    projectRow(project, { team, slug: 'docs', name: 'Docs', config: defaultConfig, createdAt: at() }),
  )
  await work.resume()

  const deps = () => ({
    ...{ store, now, newUuid: randomUUID },
    runs: { ...work, ping: async () => {}, schedule: async () => {} },
  })
  const lab: Lab = {
    project,
    site,
    silent,
    store,
    index,
    work,

    async addSource(fields = {}) {
      const unlimited = { include: [], maxDepth: null }
      const row = { team, project, name: 'site', url: site.url, createdAt: at(), ...unlimited, ...fields }
      const source = sourceRow(randomUUID(), row)
      await store.sources.insert(source)
      return source
    },

    async begin(of = project) {
      if ((await store.sources.all(of)).length === 0) await lab.addSource()
      return startRun(deps(), (await store.projects.byUuid(of))!, 'api')
    },
    comeDue: () => startScheduled(deps(), project),
    cancel: (run) => cancelRun(deps(), run),

    async ended({ uuid }) {
      await work.settled()
      expect(errors).toEqual([])
      const run = (await store.runs.get(project, uuid))!
      const { discovered, added, updated, unchanged, skipped, failed, pending } = run.pages
      expect(discovered).toBe(added + updated + unchanged + skipped + failed + pending)
      if (run.status === 'completed') expect(pending).toBe(0)
      return run
    },

    sync: async () => lab.ended(await lab.begin()),

    async recrawl(url) {
      const uuid = randomUUID()
      await store.recrawls.insert(recrawlRow(uuid, { project, url, createdAt: at() }))
      await work.startRecrawl({ uuid, project })
      await work.settled()
      return (await store.recrawls.get(project, uuid))!
    },

    async eventsOf(run, type) {
      return (await store.runs.events(run.uuid, type ? { type } : {}, { offset: 0, limit: 100 })).rows
    },

    async reasonsOf(run) {
      const events = [
        ...(await lab.eventsOf(run, 'page_skipped')),
        ...(await lab.eventsOf(run, 'page_failed')),
      ]
      return Object.fromEntries(events.map(({ url, reason }) => [new URL(url!).pathname, reason]))
    },

    async indexedPaths() {
      const pages = await store.pages.scan(project, null, 1_000)
      return pages.map(({ url }) => new URL(url).pathname).sort()
    },

    writePages(names, text = 'Words of') {
      site.pages.set(
        '/',
        htmlPage(
          'Start',
          'Where to begin.',
          names.map((name) => `/${name}`),
        ),
      )
      for (const name of names) site.pages.set(`/${name}`, htmlPage(name, `${text} ${name}.`))
    },

    async restart() {
      await work.close()
      ;({ store, index, work } = await start())
      Object.assign(lab, { store, index, work })
      await work.resume()
    },
  }
  onTestFinished(async () => {
    await work.close()
    await site.close()
  })
  return lab
}
