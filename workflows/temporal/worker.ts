// A Temporal worker. Runs the workflows, and the activities on this process's store, index and fetcher. While Temporal is
// unavailable, it waits.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Logger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import type { Run } from '../../services/store/run.ts'
import type { Store } from '../../services/store/store.ts'
import { endRun, findLeftovers } from '../recovery.ts'
import { type ActivityDeps, createActivities } from './activities.ts'
import { openWorkflowBundle } from './bundle.ts'
import { type TemporalAddress, toAccess } from './client.ts'
import { taskQueue } from './names.ts'
import type { TemporalRuns } from './temporal-runs.ts'

/** `runs` is closed by the caller, after the worker. */
interface TemporalWorkerOptions extends TemporalAddress, ActivityDeps {}

/** Milliseconds between attempts to connect. */
const reconnectInterval = 1_000
const reconcileInterval = 30_000
/** Temporal's throttle of heartbeats. A cancellation arrives with the next heartbeat. */
const heartbeatThrottle = '700ms'
/** Maximum concurrent activities, including recrawls that wait for their turn. More stay queued for other workers. */
const maxActivities = 200

/** Returns at once. `report` is called once per outage of Temporal. */
export function openTemporalWorker(options: TemporalWorkerOptions) {
  const { address, namespace, runs, report } = options
  const closing = new AbortController()
  const started = Promise.withResolvers<void>()
  const activities = createActivities(options)
  installRuntime(report)

  /** Repeats `work`. Reports an error only if it differs from the last one since `work` succeeded. */
  async function repeat(interval: number, work: (well: () => void) => Promise<void>) {
    let last: string | null = null
    const well = () => {
      last = null
    }
    while (!closing.signal.aborted) {
      try {
        await work(well)
      } catch (error) {
        if (closing.signal.aborted) return
        if (String(error) !== last) report(error)
        last = String(error)
      }
      await delay(interval, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  /** Works until closed. Rejects if the connection cannot be opened or is lost. */
  async function work(workflowBundle: WorkflowBundleOption, begun: () => void) {
    const connection = await NativeConnection.connect(toAccess(options))
    try {
      const worker = await Worker.create({
        ...{ connection, namespace, taskQueue, workflowBundle },
        activities,
        maxConcurrentActivityTaskExecutions: maxActivities,
        maxHeartbeatThrottleInterval: heartbeatThrottle,
        defaultHeartbeatThrottleInterval: heartbeatThrottle,
      })
      const shutdown = () => {
        if (worker.getState() === 'RUNNING') worker.shutdown()
      }
      closing.signal.addEventListener('abort', shutdown)
      const running = worker.run()
      started.resolve()
      begun()
      if (closing.signal.aborted) shutdown()
      await running.finally(() => closing.signal.removeEventListener('abort', shutdown))
    } finally {
      await connection.close()
    }
  }

  async function live() {
    const bundle = await openWorkflowBundle()
    await repeat(reconnectInterval, (well) =>
      work(bundle, well).catch((cause) => {
        throw new Error(`the worker has no connection to Temporal at ${address}; retrying`, { cause })
      }),
    )
  }

  /** Whether requests may have been lost while a backend was unavailable. */
  let mayHaveLeftovers = true

  /** Reconciles store and Temporal. If a backend is unavailable, the next call does it. */
  async function keepInStep(well: () => void) {
    const isDue = mayHaveLeftovers
    mayHaveLeftovers = true
    const { deleted } = isDue ? await findLeftovers(options.store, options.index) : { deleted: [] }
    for (const project of deleted) await runs.dropProject(project)
    await reconcile(options)
    mayHaveLeftovers = false
    well()
  }

  const living = Promise.all([live().catch(report), repeat(reconcileInterval, keepInStep)])

  return {
    /** Resolves when the worker polls Temporal for the first time. */
    started: started.promise,
    /** Hands its runs over to other workers. */
    async close() {
      closing.abort()
      await living
    },
  }
}

let installed = false

/** Logs the SDK's errors, and stops the SDK from handling signals of the process. */
function installRuntime(report: (error: unknown) => void) {
  if (installed) return
  installed = true
  const pass = () => {}
  const logger: Logger = {
    log: pass,
    ...{ trace: pass, debug: pass, info: pass, warn: pass },
    error: (message, meta) => report(new Error(`Temporal: ${message}`, { cause: meta?.error })),
  }
  const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' })
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions: { logging: { forward: {}, filter } } })
}

/** Milliseconds after which a live run must have a workflow. The workflow of a younger run may be about to start. */
const settledAfter = 5_000

interface ReconcileDeps {
  store: Store
  runs: TemporalRuns
  now(): Date
}

/**
 * Starts missing workflows, and ends runs whose workflow has ended. Needed after a kill between writes to store and Temporal, after a
 * person terminated a workflow, or if Temporal lost its data. Rejects if a backend is unavailable.
 */
export async function reconcile({ store, runs, now }: ReconcileDeps): Promise<void> {
  async function reconcileRun(run: Run) {
    const state = await runs.stateOf(run)
    if (state === 'cancelled' || state === 'failed') await endRun(store, run, state, now())
    else if (state !== 'open') await runs.startSync(run)
  }

  const before = new Date(now().getTime() - settledAfter).toISOString()
  for (const run of await store.runs.live()) if (run.createdAt < before) await reconcileRun(run)
  for (const recrawl of await store.recrawls.live()) {
    if (recrawl.createdAt < before) await runs.startRecrawl(recrawl)
  }
}
