// The activities of a worker: steps and ends of runs, recrawls, schedules, and cleanup of the index. Each sends heartbeats, so
// that Temporal detects a dead worker within seconds, and a cancellation arrives as fast.
import { Context } from '@temporalio/activity'
import { ApplicationFailure, type ApplicationFailureOptions, CancelledFailure } from '@temporalio/common'
import { isAway } from '../../services/errors.ts'
import { createSemaphore } from '../../services/semaphore.ts'
import type { Run, RunKey } from '../../services/store/run.ts'
import { logEnd } from '../../services/sync/start-run.ts'
import type { CrawlSteps } from '../crawl.ts'
import { createRecovery, dropRecrawl, endRun, type Recovery, sweepAll } from '../recovery.ts'
import { recrawlPage, recrawlsAtOnce } from '../recrawl.ts'
import { type CrawlDeps, RunEnded, toFirstVersion } from '../run-control.ts'
import { withSteps } from '../steps.ts'
import { failureTypes } from './names.ts'
import type { TemporalRuns } from './temporal-runs.ts'

/** Milliseconds. A cancellation takes up to this and Temporal's throttle to arrive. */
const heartbeatInterval = 700
/** Milliseconds without a call of `beat` after which work counts as stuck. The longest crawl delays are minutes. */
const stuckTimeout = 60 * 60_000

export interface Heartbeat {
  /** Aborted when Temporal cancels the activity, when the worker closes, or by `stop`. */
  signal: AbortSignal
  /** From 1. Higher if an earlier attempt failed, was handed over, or died with its worker. */
  attempt: number
  /** The work is alive. */
  beat(): void
  /** Calls `look` with every heartbeat. Temporal shows its result with the pending activity. */
  onBeat(look: () => Promise<unknown>): void
  stop(reason: unknown): void
}

type WithHeartbeat = <Result>(work: (heartbeat: Heartbeat) => Promise<Result>) => Promise<Result>

/** Runs an activity with heartbeats. Rejects with a failure that tells Temporal whether to retry. Reports bugs. */
function createHeartbeat(report: (error: unknown) => void): WithHeartbeat {
  return async (work) => {
    const context = Context.current()
    const stopping = new AbortController()
    const stop = (reason: unknown) => stopping.abort(reason)
    let aliveAt = performance.now()
    let details: unknown
    let look = async () => details
    const cancelled = () =>
      stop(context.cancellationDetails?.workerShutdown ? handedOver() : context.cancellationSignal.reason)
    context.cancellationSignal.addEventListener('abort', cancelled)
    if (context.cancellationSignal.aborted) cancelled()
    context.heartbeat()
    const timer = setInterval(async () => {
      if (performance.now() - aliveAt < stuckTimeout) context.heartbeat(details)
      // Ignores a short outage of the backend. In a longer one, writes of the work fail.
      details = await look().catch(() => details)
    }, heartbeatInterval)
    try {
      return await work({
        ...{ signal: stopping.signal, attempt: context.info.attempt, stop },
        beat() {
          aliveAt = performance.now()
        },
        onBeat(next) {
          look = next
        },
      })
    } catch (error) {
      throw toFailure(stopping.signal.aborted ? stopping.signal.reason : error, report)
    } finally {
      clearInterval(timer)
      context.cancellationSignal.removeEventListener('abort', cancelled)
    }
  }
}

/** Converts an activity's error for Temporal: retry if a backend is unavailable, end the work after a bug. */
function toFailure(error: unknown, report: (error: unknown) => void): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error
  if (error instanceof RunEnded) {
    return createFailure({ type: failureTypes.runEnded, message: 'The run has ended.', nonRetryable: true })
  }
  if (isAway(error)) return createFailure({ type: failureTypes.away, message: error.message })
  report(error)
  const message = 'An internal error; see the log.'
  return createFailure({ type: failureTypes.fault, message, nonRetryable: true })
}

/** Retried at once, by another worker or by a newer attempt on this one, regardless of earlier attempts. */
function handedOver(): ApplicationFailure {
  const message = 'The worker ends, or another attempt has begun.'
  return createFailure({ type: failureTypes.handedOver, message, nextRetryDelay: '1s' })
}

/** Operators read failures in histories: only a sentence, without a driver's message, path or stack. */
function createFailure(options: ApplicationFailureOptions): ApplicationFailure {
  const failure = ApplicationFailure.create(options)
  delete failure.stack
  return failure
}

export interface ActivityDeps extends Omit<CrawlDeps, 'abandonedVersion'> {
  runs: TemporalRuns
  /** Starts a sync as a caller would. */
  startScheduled(project: string): Promise<void>
}

/** Histories record arguments and results: only ids and counts. A type, not an interface, as proxies of workflows need it. */
export type Activities = ReturnType<typeof createActivities>

/** Milliseconds after which a writer that has not made its version current counts as dead. */
const publishTimeout = 10 * 60_000

export function createActivities({ runs, startScheduled, ...resources }: ActivityDeps) {
  const { store, index, now } = resources
  const abandonedVersion = () => toFirstVersion(new Date(now().getTime() - publishTimeout))
  const deps: CrawlDeps = { ...resources, abandonedVersion }
  const recovery = createRecovery(deps)
  const recrawlSemaphore = createSemaphore({ max: recrawlsAtOnce })
  const withHeartbeat = createHeartbeat(resources.report)
  const doStep = createRunSteps(deps, recovery)

  const onRun = <Result>(run: RunKey, step: (steps: CrawlSteps) => Promise<Result>) =>
    withHeartbeat((heartbeat) => doStep(run, heartbeat, step))

  return {
    start: (run: RunKey) => onRun(run, (steps) => steps.start()),
    readSources: (run: RunKey, sources: string[]) => onRun(run, (steps) => steps.readSources(sources)),
    settle: (run: RunKey, unreadable: string[]) => onRun(run, (steps) => steps.settle(unreadable)),
    finish: (run: RunKey) => onRun(run, (steps) => steps.finish()),

    /** Ends a run if it has not ended. */
    endRun: (run: RunKey, status: 'failed' | 'cancelled') =>
      withHeartbeat(() => endRun(store, run, status, now())),

    recrawlPage: (key: RunKey) =>
      withHeartbeat(({ signal, attempt }) => {
        const work = () => recrawlPage(deps, key, signal)
        const attempted = () => recovery.recrawl(key, { isResumed: attempt > 1, signal }, work)
        return recrawlSemaphore.run(key.project, attempted, signal)
      }),

    dropRecrawl: ({ uuid }: RunKey) => withHeartbeat(() => dropRecrawl(store, uuid, now())),

    /** Starts a run as a caller would, if the project still has a schedule and no live run. */
    startScheduled: (uuid: string) =>
      withHeartbeat(async () => {
        const project = await store.projects.byUuid(uuid)
        // The schedule still exists because Temporal was unavailable when it should have been deleted.
        if (project?.config.sync.schedule == null) await runs.schedule(uuid, null)
        else await startScheduled(uuid)
      }),

    /** Removes leftovers of a deleted source from the index. */
    sweepProject: (project: string) => withHeartbeat(({ signal }) => sweepAll(store, index, project, signal)),

    /** Removes a deleted project from the index. */
    dropProject: (project: string) => withHeartbeat(() => index.drop(project)),
  }
}

/** Heartbeats between two reads of the run's counts. */
const beatsToCounts = 3

/**
 * The steps of runs on this worker. Counts attempts, shows progress, and stops when the run has ended in the store. Rejects with RunEnded,
 * or when the heartbeat stops.
 */
export function createRunSteps(deps: CrawlDeps, recovery: Recovery) {
  const { store } = deps
  const attempts = new Map<string, { heartbeat: Heartbeat; ended: Promise<void> }>()

  /** Before `work`, stops an earlier attempt that Temporal considers dead, and waits for its end. */
  async function afterOthers<Result>(uuid: string, heartbeat: Heartbeat, work: () => Promise<Result>) {
    const before = attempts.get(uuid)
    before?.heartbeat.stop(handedOver())
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const attempt = { heartbeat, ended }
    attempts.set(uuid, attempt)
    try {
      await before?.ended
      return await work()
    } finally {
      end()
      if (attempts.get(uuid) === attempt) attempts.delete(uuid)
    }
  }

  /** Shows the progress of the run, and stops when it has ended or was superseded. */
  function watch(run: Run, { onBeat, stop }: Heartbeat) {
    let beats = 0
    let pages: unknown
    onBeat(async () => {
      if (!(await store.runs.holds(run))) stop(new RunEnded())
      else if (beats++ % beatsToCounts === 0) pages = (await store.runs.get(run.project, run.uuid))?.pages
      return pages
    })
  }

  return async <Result>(
    { uuid, project }: RunKey,
    heartbeat: Heartbeat,
    step: (steps: CrawlSteps) => Promise<Result>,
  ): Promise<Result> => {
    const { signal, beat, attempt } = heartbeat
    try {
      return await afterOthers(uuid, heartbeat, async () => {
        const run = await store.runs.get(project, uuid)
        if (run === null || !(await store.runs.holds(run))) throw new RunEnded()
        watch(run, heartbeat)
        const done = await recovery.run(run, { isResumed: attempt > 1, signal }, async (onProgress) => {
          return { result: await withSteps(deps, run, { signal, beat, onProgress }, step) }
        })
        if (done === null) throw new RunEnded()
        return done.result
      })
    } catch (error) {
      const reason = signal.aborted ? signal.reason : error
      // The last event may be missing after a kill.
      if (reason instanceof RunEnded) await logEnd(store, { uuid, project })
      throw reason
    }
  }
}
