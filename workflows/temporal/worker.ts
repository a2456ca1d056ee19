// A Temporal worker of Lectern: runs the workflows, and the activities on this process's store, index and fetcher. It lives
// until it is closed: without Temporal it waits, and goes on when Temporal is back.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Logger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import { type ActivityDeps, createActivities } from './activities.ts'
import { openWorkflowBundle } from './bundle.ts'
import { taskQueue } from './names.ts'
import { cleanUpLeftovers, reconcile } from './reconcile.ts'
import { type TemporalAddress, toAccess } from './temporal-client.ts'

/** `runs` is closed by the caller, after the worker. */
interface TemporalWorkerOptions extends TemporalAddress, ActivityDeps {}

interface TemporalWorker {
  /** Resolves when the worker asks Temporal for work for the first time. */
  started: Promise<void>
  /** Gives its runs back, for another worker to go on with. */
  close(): Promise<void>
}

/** Between two tries to connect, in milliseconds. */
const reconnectInterval = 1_000
const reconcileInterval = 30_000
/** Temporal's own throttle of heartbeats: a cancel waits for the next one. */
const heartbeatThrottle = '700ms'
/** Runs that it works on at once, with recrawls that wait for their turn; more are queued for whoever has room. */
const maxActivities = 200

/** Returns at once; `report` is told while Temporal is away, once for each time. */
export function openTemporalWorker(options: TemporalWorkerOptions): TemporalWorker {
  const { address, namespace, runs, report } = options
  const closing = new AbortController()
  const started = Promise.withResolvers<void>()
  const activities = createActivities(options)
  installRuntime(report)

  async function live() {
    const reportOnce = createReportOnce(report)
    const bundle = await openWorkflowBundle()
    while (!closing.signal.aborted) {
      try {
        await work(bundle, () => reportOnce(null))
      } catch (error) {
        if (closing.signal.aborted) return
        reportOnce(new Error(`Temporal at ${address} cannot be worked for; trying on`, { cause: error }))
        await pause(reconnectInterval)
      }
    }
  }

  /** Works until it is closed; rejects when the connection cannot be had or is lost for good. */
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

  /** Keeps store and Temporal in step; while a backend is away, the next time does it. */
  async function keepInStep() {
    const reportOnce = createReportOnce(report)
    let hasLeftovers = true
    while (!closing.signal.aborted) {
      try {
        if (hasLeftovers) await cleanUpLeftovers({ ...options, runs })
        hasLeftovers = false
        await reconcile({ ...options, runs })
        reportOnce(null)
      } catch (error) {
        // What was asked for while a backend was away may not have come about.
        hasLeftovers = true
        reportOnce(error)
      }
      await pause(reconcileInterval)
    }
  }

  const pause = (ms: number) => delay(ms, undefined, { signal: closing.signal }).catch(() => {})
  const living = Promise.all([live().catch(report), keepInStep()])

  return {
    started: started.promise,
    async close() {
      closing.abort()
      await living
    },
  }
}

/** Reports an error only when it differs from the last one; null: all is well again. */
function createReportOnce(report: (error: unknown) => void) {
  let said: string | null = null
  return (error: unknown) => {
    const text = error === null ? null : String(error)
    if (text !== null && text !== said) report(error)
    said = text
  }
}

let installed = false

/** The SDK's own words go to the log where they are errors; the process's signals are not its to handle. */
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
