// Every activity of a worker: the steps of runs, their ends, recrawls, schedules, and clearing the index.
// Each beats while it works, so that Temporal notices in seconds that a worker is gone, and a cancel arrives as fast.
import { Context } from '@temporalio/activity'
import { ApplicationFailure, type ApplicationFailureOptions, CancelledFailure } from '@temporalio/common'
import { isAway } from '../../services/errors.ts'
import { createSemaphore } from '../../services/semaphore.ts'
import type { Run } from '../../services/store/run.ts'
import { logEnd } from '../../services/sync/start-run.ts'
import type { CrawlSteps } from '../crawl.ts'
import { createRecovery, dropRecrawl, endRun, logResumed, type Recovery, sweepAll } from '../recovery.ts'
import { recrawlPage, recrawlsAtOnce } from '../recrawl.ts'
import { type CrawlDeps, RunEnded, toFirstVersion } from '../run-control.ts'
import { withSteps } from '../steps.ts'
import { failureTypes, type ProjectWork } from './names.ts'
import type { TemporalRuns } from './temporal-runs.ts'

/** Milliseconds; a cancel takes as long to arrive, and Temporal's throttle. */
const heartbeatInterval = 700
/** Work without a sign of life for longer counts as stuck, in milliseconds: the slowest crawl delays are minutes. */
const stuckTimeout = 60 * 60_000

export interface Heartbeat {
  /** Aborts when Temporal cancels the activity, when the worker ends, or by `stop`. */
  signal: AbortSignal
  /** From 1; more where an attempt before failed, was handed over, or ended with its worker. */
  attempt: number
  /** The work is alive. */
  beat(): void
  /** Calls `look` with every beat; its result is shown with the pending activity. */
  onBeat(look: () => Promise<unknown>): void
  stop(reason: unknown): void
}

type WithHeartbeat = <Result>(work: (heartbeat: Heartbeat) => Promise<Result>) => Promise<Result>

/** Does the work of an activity with a heartbeat. Rejects with what Temporal is to do about an error; a fault is reported. */
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
      // The backend may be unavailable for a moment; if it stays so, the writes of the work fail.
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

/** What an activity's error means to Temporal: an unavailable backend is waited for, a fault of our own ends the work. */
function toFailure(error: unknown, report: (error: unknown) => void): Error {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error
  if (error instanceof RunEnded) {
    return createFailure({ type: failureTypes.runEnded, message: 'The run has ended.', nonRetryable: true })
  }
  if (isAway(error)) return createFailure({ type: failureTypes.away, message: error.message })
  report(error)
  const message = 'An internal error; the log has it.'
  return createFailure({ type: failureTypes.fault, message, nonRetryable: true })
}

/** Another worker does it, or a newer attempt on this one: at once, however often it was tried before. */
function handedOver(): ApplicationFailure {
  const message = 'The worker ends, or another attempt has begun.'
  return createFailure({ type: failureTypes.handedOver, message, nextRetryDelay: '1s' })
}

/** A failure is kept in histories that operators read: a sentence only, no driver's message, path or stack. */
function createFailure(options: ApplicationFailureOptions): ApplicationFailure {
  const failure = ApplicationFailure.create(options)
  delete failure.stack
  return failure
}

export interface ActivityDeps extends Omit<CrawlDeps, 'abandonedVersion'> {
  runs: TemporalRuns
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
}

/** What they take and give is recorded in histories: ids and counts only. A type, so that it fits what workflows ask for. */
export type Activities = ReturnType<typeof createActivities>

/** A writer that has not made a version current after so many milliseconds never will. */
const publishTimeout = 10 * 60_000

export function createActivities({ runs, startScheduled, ...resources }: ActivityDeps) {
  const { store, index, now } = resources
  const abandonedVersion = () => toFirstVersion(new Date(now().getTime() - publishTimeout))
  const deps: CrawlDeps = { ...resources, abandonedVersion }
  const recovery = createRecovery(deps)
  const recrawlSemaphore = createSemaphore({ max: recrawlsAtOnce })
  const withHeartbeat = createHeartbeat(resources.report)
  const doStep = createRunSteps(deps, recovery)

  const onRun = <Result>(run: ProjectWork, step: (steps: CrawlSteps) => Promise<Result>) =>
    withHeartbeat((heartbeat) => doStep(run, heartbeat, step))

  return {
    start: (run: ProjectWork) => onRun(run, (steps) => steps.start()),
    readSources: (run: ProjectWork, sources: string[]) => onRun(run, (steps) => steps.readSources(sources)),
    settle: (run: ProjectWork, unreadable: string[]) => onRun(run, (steps) => steps.settle(unreadable)),
    finish: (run: ProjectWork) => onRun(run, (steps) => steps.finish()),

    /** Ends a run that has not ended. */
    endRun: (run: ProjectWork, status: 'failed' | 'cancelled') =>
      withHeartbeat(() => endRun(store, run, status, now())),

    recrawlPage: ({ uuid, project }: ProjectWork) =>
      withHeartbeat(({ signal, attempt }) =>
        recrawlSemaphore.run(
          project,
          () =>
            recovery.recrawl({ uuid, project }, { isResumed: attempt > 1, signal }, async () => {
              const recrawl = await store.recrawls.get(project, uuid)
              if (recrawl !== null) await recrawlPage(deps, recrawl, signal)
            }),
          signal,
        ),
      ),

    dropRecrawl: ({ uuid }: ProjectWork) => withHeartbeat(() => dropRecrawl(store, uuid, now())),

    /** Begins a run as a caller would, if the project still has a schedule and no run that is live. */
    startScheduled: (uuid: string) =>
      withHeartbeat(async () => {
        const project = await store.projects.byUuid(uuid)
        // A schedule outlives its project's only where Temporal was unavailable when it was to be deleted.
        if (project?.config.sync.schedule == null) await runs.schedule(uuid, null)
        else await startScheduled(uuid)
      }),

    /** Takes what a deleted source left behind out of the index. */
    sweepProject: (project: string) => withHeartbeat(({ signal }) => sweepAll(store, index, project, signal)),

    /** Takes a deleted project's units out of the index. */
    dropProject: (project: string) => withHeartbeat(() => index.drop(project)),
  }
}

/** Every so many heartbeats the counts of the run are read. */
const beatsToCounts = 3

/**
 * The steps of runs as this worker does them: counted, watched, and stopped when the run has ended in the store. Rejects with RunEnded,
 * and where the heartbeat stops.
 */
export function createRunSteps(deps: CrawlDeps, recovery: Recovery) {
  const { store } = deps
  const attempts = new Map<string, { heartbeat: Heartbeat; ended: Promise<void> }>()

  /** Stops an attempt that Temporal has taken for dead, and waits for its end, before `work`. */
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

  /** Shows how far the run is, and stops when it has ended or been superseded. */
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
    { uuid, project }: ProjectWork,
    heartbeat: Heartbeat,
    step: (steps: CrawlSteps) => Promise<Result>,
  ): Promise<Result> => {
    const { signal, beat, attempt } = heartbeat
    const isResumed = attempt > 1
    try {
      return await afterOthers(uuid, heartbeat, async () => {
        const run = await store.runs.get(project, uuid)
        if (run === null || !(await store.runs.holds(run))) throw new RunEnded()
        watch(run, heartbeat)
        const done = await recovery.run(run, { isResumed, signal }, async (onProgress) => {
          if (isResumed) await logResumed(store, run, deps.now())
          return { result: await withSteps(deps, run, { signal, beat, onProgress }, step) }
        })
        if (done === null) throw new RunEnded()
        return done.result
      })
    } catch (error) {
      const reason = signal.aborted ? signal.reason : error
      // A kill between the run's end and its last event has left that out.
      if (reason instanceof RunEnded) await logEnd(store, { uuid, project })
      throw reason
    }
  }
}
