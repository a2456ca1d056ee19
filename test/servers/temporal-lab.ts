// A project, a site on loopback, the runs driver of a core and workers on a real Temporal: what the tests of it share. Store
// and index are the embedded ones, of one data folder.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import type { SearchIndex } from '../../services/index/search-index.ts'
import { openIndex, openStore } from '../../services/main/drivers.ts'
import { defaultConfig } from '../../services/project/project-message.ts'
import type { Run, RunWithCounts, Trigger } from '../../services/store/run.ts'
import type { Source } from '../../services/store/source.ts'
import type { Store } from '../../services/store/store.ts'
import { cancelRun, type RunDeps, startRun } from '../../services/sync/start-run.ts'
import { openTemporalRuns, type TemporalRuns } from '../../workflows/temporal/temporal-runs.ts'
import { openSite, type Site } from '../e2e/site.ts'
import { openTemporal, type TemporalServer } from './temporal.ts'
import { openLabWorker } from './temporal-lab-worker.ts'

export const slug = 'docs'
const team = randomUUID()
const at = () => new Date().toISOString()

export interface TemporalLab {
  project: string
  data: string
  temporal: TemporalServer
  /** What a person's Temporal UI or command line does. */
  client: Client
  site: Site
  store: Store
  index: SearchIndex
  runs: TemporalRuns
  deps: RunDeps
  errors: unknown[]
  addSource(fields?: Partial<Source>): Promise<Source>
  begin(trigger?: Trigger): Promise<Run>
  cancel(run: Run): Promise<void>
  /** Waits for the end of a run, and checks what holds for every run. */
  ended(run: { uuid: string }): Promise<RunWithCounts>
  sync(): Promise<RunWithCounts>
  /** A worker in this process; closed with the lab. */
  startWorker(): Promise<{ close(): Promise<void> }>
  close(): Promise<void>
}

export async function openTemporalLab(): Promise<TemporalLab> {
  const [temporal, site] = await Promise.all([openTemporal(), openSite()])
  const data = await mkdtemp(join(tmpdir(), 'lectern-temporal-lab-'))
  const project = randomUUID()
  const errors: unknown[] = []
  const report = (error: unknown) => errors.push(error)
  const [store, index] = [await openStore({ data }), await openIndex({ data })]
  const address = { address: temporal.address, namespace: 'default' }
  const runs = await openTemporalRuns({ ...address, store, report })
  const client = new Client({ connection: Connection.lazy({ address: temporal.address }) })
  const workers: { close(): Promise<void> }[] = []
  await store.teams.insert({ uuid: team, name: 'Team', createdAt: at() })
  await store.projects.insert({
    ...{ uuid: project, team, slug, name: 'Docs', isPrivate: false, whitelabel: false },
    ...{ allowedDomains: [], config: defaultConfig, createdAt: at(), updatedAt: at() },
    ...{ revision: 1, indexedAt: null },
  })
  const deps: RunDeps = { store, runs, now: () => new Date(), newUuid: randomUUID }

  const lab: TemporalLab = {
    ...{ project, data, temporal, client, site, store, index, runs, deps, errors },

    async addSource(fields = {}) {
      const source: Source = {
        ...{ uuid: randomUUID(), team, project, type: 'site', name: 'site', url: site.url },
        ...{ include: [], exclude: [], maxPages: null, maxDepth: null, resolvedUrl: null },
        ...{ credentials: null, createdAt: at(), lastCrawledAt: null, revision: 1 },
        ...fields,
      }
      await store.sources.insert(source)
      return source
    },

    begin: async (trigger = 'api') => startRun(deps, (await store.projects.byUuid(project))!, trigger),
    cancel: (run) => cancelRun(deps, run),

    async ended({ uuid }) {
      for (;;) {
        const run = (await store.runs.get(project, uuid))!
        const { discovered, added, updated, unchanged, skipped, failed, pending } = run.pages
        if (discovered !== added + updated + unchanged + skipped + failed + pending) {
          throw new Error(`the counts of the run do not add up: ${JSON.stringify(run.pages)}`)
        }
        if (run.status !== 'queued' && run.status !== 'running') return run
        // The port has no other way to wait.
        await delay(20)
      }
    },

    sync: async () => lab.ended(await lab.begin()),

    async startWorker() {
      const worker = await openLabWorker({ ...address, data, report })
      workers.push(worker)
      return worker
    },

    async close() {
      await Promise.all(workers.map((worker) => worker.close()))
      await runs.close()
      await client.connection.close()
      await index.close()
      await store.close()
      await temporal.remove()
      await site.close()
      await rm(data, { recursive: true, force: true })
    },
  }
  return lab
}
