// The health of a process: the servers it depends on, and its metrics. While a server is unavailable, or refuses the credentials, the
// process waits for it, and a log line names the variables to check (manual/production.md, "When a server is unavailable").
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { withoutPassword } from '../services/config/variable.ts'
import type { Config } from '../services/config.ts'
import { AccessRefused, type Backend, isAway } from '../services/errors.ts'
import type { CallOutcome } from '../services/model/model-health.ts'
import { doubling, retry } from '../services/retry.ts'
import type { IndexTotals } from '../services/search/search-client.ts'
import type { Ping } from '../services/server/health.ts'
import type { Run } from '../services/store/run.ts'
import type { RunChange } from '../services/sync/watch-runs.ts'

export interface Server {
  backend: Backend
  name: string
  /** The variables that configure it, its address first, with their values. Values may contain a password. */
  settings: [variable: string, value: string][]
}

/** Null if the embedded driver is in use. */
export interface Servers {
  store: Server | null
  index: Server | null
  runs: Server | null
}

export function toServers({ mongodb, weaviate, temporal }: Config): Servers {
  return {
    store: mongodb
      ? { backend: 'store', name: 'MongoDB', settings: [['LECTERN_MONGODB_URL', mongodb]] }
      : null,
    index: weaviate && {
      backend: 'index',
      name: 'Weaviate',
      settings: [
        ['LECTERN_WEAVIATE_URL', weaviate.url],
        ['LECTERN_WEAVIATE_GRPC', weaviate.grpc],
      ],
    },
    runs: temporal && {
      backend: 'runs',
      name: 'Temporal',
      settings: [
        ['LECTERN_TEMPORAL_ADDRESS', temporal.address],
        ['LECTERN_TEMPORAL_NAMESPACE', temporal.namespace],
      ],
    },
  }
}

/** The health checks before anything is open. */
export function createChecks(): Record<keyof Servers, Ping> {
  const notYet = () => Promise.reject(new Error('it is not open yet'))
  return { store: notYet, index: notYet, runs: notYet }
}

/** Milliseconds between two attempts. */
const firstPause = 250
const maxPause = 5_000
/** Milliseconds after which the log line of an outage is repeated. */
const repeatIntervalMs = 60_000
const watchIntervalMs = 5_000

/** `signal` is aborted when the process stops. */
export function createAvailability(log: Logger, signal: AbortSignal) {
  /**
   * Calls `open` until the server is available and accepts the credentials. Without a server, calls it once. Rejects with any other
   * error. Never settles after the process began to stop.
   */
  async function retryUntilAvailable<Opened>(
    server: Server | null,
    open: () => Promise<Opened>,
  ): Promise<Opened> {
    if (server === null) return open()
    const status = createStatusLog(server, log)
    function onFailure(error: unknown) {
      if (!isAway(error) && !isRefusal(error)) throw error
      status.failed(error)
    }
    try {
      const opened = await retry(open, doubling(firstPause, maxPause), { onFailure, signal })
      status.answered()
      return opened
    } catch (error) {
      if (!signal.aborted) throw error
      return new Promise(() => {})
    }
  }

  /** Pings the server from now on, and logs each outage and recovery. */
  async function watch(server: Server | null, ping: Ping): Promise<void> {
    if (server === null) return
    const status = createStatusLog(server, log)
    while (!signal.aborted) {
      await ping().then(status.answered, status.failed)
      await delay(watchIntervalMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  return { retryUntilAvailable, watch }
}

/** Logs each change at once, and repeats the line of an outage once a minute. */
function createStatusLog(server: Server, log: Logger) {
  let failedSince: number | null = null
  let loggedAt = 0

  return {
    answered() {
      if (failedSince === null) return
      const seconds = Math.round((Date.now() - failedSince) / 1000)
      failedSince = null
      log.info(`${server.name} is available again after ${seconds} s`)
    },
    failed(error: unknown) {
      const now = Date.now()
      if (failedSince !== null && now - loggedAt < repeatIntervalMs) return
      failedSince ??= now
      loggedAt = now
      log.warn(isRefusal(error) ? toRefusalLine(server) : toOutageLine(server, error))
    },
  }
}

function toOutageLine({ name, settings }: Server, error: unknown): string {
  const values = settings.map(([variable, value]) => `${variable} is ${withoutPassword(value)}`)
  const cause = (error as Error).cause ?? error
  const reason = withoutPassword(String((cause as Error)?.message ?? cause)).split('\n')[0]
  return `${name} is unavailable: ${values.join(', ')}. Lectern retries until it responds. (${reason})`
}

function toRefusalLine({ name, settings }: Server): string {
  const [variable, address] = settings[0]!
  return `${variable}: ${name} at ${withoutPassword(address)} refuses the user, password or key that is set.`
}

function isRefusal(error: unknown): boolean {
  return error instanceof AccessRefused || (error instanceof Error && error.cause instanceof AccessRefused)
}

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>

/** Milliseconds for which sizes of index and disk are reused: reading them is slow. */
const sizesMaxAge = 60_000

interface MetricSources {
  /** Live runs of all projects. */
  liveRuns(): Promise<Pick<Run, 'status'>[]>
  indexTotals(): Promise<IndexTotals>
}

const outcomes = ['added', 'updated', 'unchanged', 'removed', 'skipped', 'failed'] as const

/** Metrics of this process except requests: runs, pages, the index, embedding, model calls, disk. `data`: the data folder. */
export function createProcessMetrics(data: string) {
  const registry = new Registry()
  const registers = [registry]
  let sources: Partial<MetricSources> = {}

  const count = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers })
  const runs = count('lectern_sync_runs_total', 'Sync runs that ended, by status and trigger.', [
    'status',
    'trigger',
  ])
  const runDuration = new Histogram({
    name: 'lectern_sync_run_duration_seconds',
    help: 'Time from the start of a sync run to its end.',
    labelNames: ['status'],
    buckets: [1, 10, 60, 300, 900, 3_600, 14_400, 43_200],
    registers,
  })
  const pages = count('lectern_sync_pages_total', 'Pages of sync runs that ended, by outcome.', ['outcome'])
  const calls = count('lectern_llm_calls_total', 'Calls of the language model, by how they ended.', [
    'outcome',
  ])
  const callDuration = new Histogram({
    name: 'lectern_llm_call_duration_seconds',
    help: 'Time from a call of the language model to its end.',
    buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160],
    registers,
  })

  /** A gauge that `read` fills on each request; no value if `read` fails. `maxAge`: in milliseconds. */
  function gauge(
    name: string,
    help: string,
    labelNames: string[],
    read: (gauge: Gauge) => Promise<void>,
    maxAge = sizesMaxAge,
  ) {
    let readAt = Number.NEGATIVE_INFINITY
    let reading = Promise.resolve()
    new Gauge({
      ...{ name, help, labelNames, registers },
      async collect() {
        if (performance.now() - readAt >= maxAge) {
          readAt = performance.now()
          this.reset()
          // Without labels, prom-client resets to zero: a failed read would report that zero.
          if (labelNames.length === 0) this.remove()
          reading = read(this).catch(() => {})
        }
        await reading
      },
    })
  }

  gauge('lectern_sync_live_runs', 'Sync runs that have not ended.', ['status'], readLive, 0)
  async function readLive(runs: Gauge) {
    const rows = await sources.liveRuns?.()
    for (const status of rows ? ['queued', 'running'] : []) {
      runs.set({ status }, rows!.filter((run) => run.status === status).length)
    }
  }
  gauge('lectern_index_sections', 'Sections in the index.', [], async (sections) => {
    const totals = await sources.indexTotals?.()
    if (totals) sections.set(totals.sections)
  })
  gauge('lectern_embedding_sections', 'Sections to embed, by state.', ['state'], async (sections) => {
    const { embedding } = (await sources.indexTotals?.()) ?? { embedding: null }
    if (embedding === null) return
    sections.set({ state: 'done' }, embedding.done)
    sections.set({ state: 'waiting' }, embedding.waiting)
  })
  gauge('lectern_data_bytes', 'Size of the data folder.', ['part'], async (bytes) => {
    for (const [part, size] of await readSizes(data)) bytes.set({ part }, size)
  })
  gauge('lectern_data_free_bytes', 'Free space on the disk of the data folder.', [], async (bytes) => {
    const { bavail, bsize } = await statfs(data)
    bytes.set(bavail * bsize)
  })

  return {
    /** Sets what the gauges read, once it is open. */
    readFrom(opened: MetricSources) {
      sources = opened
    },
    runEnded({ status, trigger, seconds, pages: counts }: RunChange) {
      runs.inc({ status, trigger })
      if (seconds !== null) runDuration.observe({ status }, seconds)
      for (const outcome of outcomes) pages.inc({ outcome }, counts[outcome])
    },
    modelCalled(outcome: CallOutcome, seconds: number) {
      calls.inc({ outcome })
      callDuration.observe(seconds)
    },
    registry,
  }
}

/** The label `part` of a top-level entry of the data folder. */
function toPart(name: string): string {
  if (name.startsWith('lectern.db')) return 'database'
  if (name.startsWith('chats.db')) return 'chats'
  return ['index', 'models', 'blobs'].includes(name) ? name : 'other'
}

/** Part of the data folder → its size in bytes. Ignores files that are deleted meanwhile, and folders that cannot be read. */
async function readSizes(data: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const name of await readdir(data)) {
    const below = await readdir(join(data, name), { recursive: true }).catch(() => [])
    for (const path of ['', ...below]) {
      const found = await stat(join(data, name, path)).catch(() => null)
      sizes.set(toPart(name), (sizes.get(toPart(name)) ?? 0) + (found?.isFile() ? found.size : 0))
    }
  }
  return sizes
}
