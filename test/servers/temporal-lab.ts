// A project, a site on loopback, the runs driver of a core, and workers on a real Temporal, shared by its tests. Store
// and index are the embedded ones in one data folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Client } from '@temporalio/client'
import { openIndex, openStore } from '../../services/drivers.ts'
import type { SearchIndex } from '../../services/index/search-index.ts'
import { defaultConfig } from '../../services/project/project-change.ts'
import type { Runs } from '../../services/runs/runs.ts'
import type { Run, RunWithCounts, Trigger } from '../../services/store/run.ts'
import type { Source } from '../../services/store/source.ts'
import type { Store } from '../../services/store/store.ts'
import { cancelRun, type RunDeps, startRun } from '../../services/sync/start-run.ts'
import { createTemporalClient } from '../../workflows/temporal/client.ts'
import { createTemporalRuns, type TemporalRuns } from '../../workflows/temporal/temporal-runs.ts'
import { project as projectRow, recrawl as recrawlRow, source as sourceRow } from '../contract/store-case.ts'
import { openSite, type Site } from '../e2e/site.ts'
import { createFolder } from '../folder.ts'
import type { Doom } from './doom.ts'
import { openTemporal, type TemporalServer } from './temporal.ts'
import { answerTimeout, openLabWorker } from './temporal-lab-worker.ts'

export const slug = 'docs'
const team = randomUUID()
const at = () => new Date().toISOString()

export interface TemporalLab {
  project: string
  data: string
  temporal: TemporalServer
  /** For actions of a person in Temporal's pages or command line. */
  client: Client
  site: Site
  store: Store
  index: SearchIndex
  runs: TemporalRuns
  deps: RunDeps
  errors: unknown[]
  addSource(fields?: Partial<Source>): Promise<Source>
  begin(trigger?: Trigger, runs?: Runs): Promise<Run>
  cancel(run: Run, runs?: Runs): Promise<void>
  /** Waits for the end of a run, and checks the invariants of every run. */
  ended(run: { uuid: string }): Promise<RunWithCounts>
  sync(): Promise<RunWithCounts>
  /** Starts the recrawl of a page; returns its uuid. */
  recrawl(path: string): Promise<string>
  /** Sets the schedule like the project service: in the store, then in Temporal. */
  setSchedule(schedule: string | null): Promise<void>
  /** A worker in this process, its store wrapped by `wrap`; closed with the lab. */
  startWorker(wrap?: (store: Store) => Store): Promise<{ close(): Promise<void> }>
  /** A worker in a separate process that kills itself at the moment `at`. Resolves when that has happened. */
  startDoomedWorker(at: Doom): Promise<void>
  close(): Promise<void>
}

/** `shared`: a server that remains, and the lab's namespace on it; otherwise the lab has its own server. */
export async function openTemporalLab(
  shared: { temporal: TemporalServer; namespace: string } | null = null,
): Promise<TemporalLab> {
  const [temporal, site] = await Promise.all([shared?.temporal ?? openTemporal(), openSite()])
  const namespace = shared?.namespace ?? 'default'
  const data = createFolder()
  const project = randomUUID()
  const errors: unknown[] = []
  const report = (error: unknown) => errors.push(error)
  const [store, index] = [await openStore({ data }), await openIndex({ data })]
  const address = { address: temporal.address, namespace, key: null }
  const asking = createTemporalClient(address, answerTimeout)
  const { client } = asking
  const runs = createTemporalRuns(asking, { store, report })
  const children = new Set<ChildProcess>()
  const workers = new Set<{ close(): Promise<void> }>()
  await store.teams.insert({ uuid: team, name: 'Team', createdAt: at() })
  const row = { team, slug, name: 'Docs', config: defaultConfig, createdAt: at() }
  await store.projects.insert(projectRow(project, row))
  const deps: RunDeps = { store, runs, now: () => new Date(), newUuid: randomUUID }

  const lab: TemporalLab = {
    ...{ project, data, temporal, client, site, store, index, runs, deps, errors },

    async addSource(fields = {}) {
      const unlimited = { include: [], maxDepth: null }
      const row = { team, project, name: 'site', url: site.url, createdAt: at(), ...unlimited, ...fields }
      const source = sourceRow(randomUUID(), row)
      await store.sources.insert(source)
      return source
    },

    begin: async (trigger = 'api', by = runs) =>
      startRun({ ...deps, runs: by }, (await store.projects.byUuid(project))!, trigger),
    cancel: (run, by = runs) => cancelRun({ ...deps, runs: by }, run),

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

    async recrawl(path) {
      const uuid = randomUUID()
      const row = { team, project, url: new URL(path, site.url).href, createdAt: at() }
      await store.recrawls.insert(recrawlRow(uuid, row))
      await runs.startRecrawl({ uuid, project })
      return uuid
    },

    async setSchedule(schedule) {
      const row = (await store.projects.byUuid(project))!
      const config = { ...row.config, sync: { schedule } }
      await store.projects.update({ ...row, config, revision: row.revision + 1 })
      await runs.schedule(project, schedule)
    },

    async startWorker(wrap) {
      const worker = await openLabWorker({ ...address, data, report, ...(wrap && { wrap }) })
      workers.add(worker)
      return {
        async close() {
          workers.delete(worker)
          await worker.close()
        },
      }
    },

    async startDoomedWorker(at) {
      const entry = fileURLToPath(new URL('./temporal-lab-worker.ts', import.meta.url))
      const args = [
        '--disable-warning=ExperimentalWarning',
        entry,
        temporal.address,
        namespace,
        data,
        JSON.stringify(at),
      ]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
      children.add(child)
      const [code, signal] = await once(child, 'exit')
      children.delete(child)
      if (signal !== 'SIGKILL') throw new Error(`the worker ended with ${code ?? signal}`)
    },

    async close() {
      for (const child of children) child.kill('SIGKILL')
      await Promise.all([...workers].map((worker) => worker.close()))
      await runs.close()
      await index.close()
      await store.close()
      if (shared === null) await temporal.remove()
      await site.close()
    },
  }
  return lab
}
