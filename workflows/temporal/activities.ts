// Every activity of a worker: the steps of runs, their ends, recrawls, schedules, and clearing the index.
import { createSemaphore } from '../../services/semaphore.ts'
import type { CrawlSteps } from '../crawl.ts'
import {
  createRecovery,
  dropRecrawl,
  endRun,
  logEnd,
  logResumed,
  type Recovery,
  sweepAll,
} from '../recovery.ts'
import { recrawlPage, recrawlsAtOnce } from '../recrawl.ts'
import { type CrawlDeps, RunEnded, toFirstVersion } from '../run-control.ts'
import { withSteps } from '../steps.ts'
import { type Heartbeat, handedOver, toFailure, withHeartbeat } from './heartbeat.ts'
import { failureTypes, type ProjectWork } from './names.ts'
import type { TemporalRuns } from './temporal-runs.ts'

export interface ActivityDeps extends Omit<CrawlDeps, 'abandonedVersion'> {
  runs: TemporalRuns
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
  /** Receives faults: Temporal keeps a sentence of each. */
  report(error: unknown): void
}

/** What they take and give is recorded in histories: ids and counts only. A type, so that it fits what workflows ask for. */
export type Activities = ReturnType<typeof createActivities>

/** A writer that has not made a version current after so many milliseconds never will. */
const publishTimeout = 10 * 60_000

export function createActivities({ runs, startScheduled, ...resources }: ActivityDeps) {
  const { store, index, now, report } = resources
  const abandonedVersion = () => toFirstVersion(new Date(now().getTime() - publishTimeout))
  const deps: CrawlDeps = { ...resources, abandonedVersion }
  const recovery = createRecovery(deps)
  const recrawlSemaphore = createSemaphore({ max: recrawlsAtOnce })
  const doStep = createRunSteps(deps, recovery)

  const onRun = <Result>(run: ProjectWork, step: (steps: CrawlSteps) => Promise<Result>) =>
    withHeartbeat((heartbeat) => doStep(run, heartbeat, step))

  return reportFaults(report, {
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
            recovery.recrawl({ uuid }, { isResumed: attempt > 1, signal }, async () => {
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
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments of any activity
type Activity = (...args: any[]) => Promise<unknown>

/** The same activities; an error becomes what Temporal is to do about it, and a fault is reported. */
function reportFaults<All extends Record<string, Activity>>(
  report: (error: unknown) => void,
  activities: All,
): All {
  const reporting =
    (activity: Activity): Activity =>
    async (...args) => {
      try {
        return await activity(...args)
      } catch (error) {
        const failure = toFailure(error)
        if ('type' in failure && failure.type === failureTypes.fault) report(error)
        throw failure
      }
    }
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [name, reporting(activity)]),
  ) as All
}

/** Does a step of a run, or what is left of it. Rejects with RunEnded, and where the heartbeat stops. */
type DoStep = <Result>(
  run: ProjectWork,
  heartbeat: Heartbeat,
  step: (steps: CrawlSteps) => Promise<Result>,
) => Promise<Result>

/** Every so many heartbeats the counts of the run are read. */
const beatsToCounts = 3

/** The steps of runs as this worker does them: counted, watched, and stopped when the run has ended in the store. */
export function createRunSteps(deps: CrawlDeps, recovery: Recovery): DoStep {
  const { store, now } = deps
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
  function watch({ uuid, project, fence }: ProjectWork & { fence: number }, heartbeat: Heartbeat) {
    let beats = 0
    heartbeat.onBeat(() => {
      const look = async () => {
        if (!(await store.runs.holds({ uuid, project, fence }))) return heartbeat.stop(new RunEnded())
        if (beats++ % beatsToCounts === 0) heartbeat.show((await store.runs.get(project, uuid))?.pages)
      }
      // The store may be unavailable for a moment: the step's own writes fail when it stays so.
      look().catch(() => {})
    })
  }

  const doStep: DoStep = async ({ uuid, project }, heartbeat, step) => {
    const { signal, beat, attempt } = heartbeat
    const run = await store.runs.get(project, uuid)
    if (run === null || !(await store.runs.holds(run))) throw new RunEnded()
    watch(run, heartbeat)
    const isResumed = attempt > 1
    const done = await recovery.run(run, { isResumed, signal }, async (onProgress) => {
      if (isResumed) await logResumed(store, run, now())
      return { result: await withSteps(deps, run, { signal, beat, onProgress }, step) }
    })
    if (done === null) throw new RunEnded()
    return done.result
  }

  return async (run, heartbeat, step) => {
    try {
      return await afterOthers(run.uuid, heartbeat, () => doStep(run, heartbeat, step))
    } catch (error) {
      const reason = heartbeat.signal.aborted ? heartbeat.signal.reason : error
      // A kill between the run's end and its last event has left that out.
      if (reason instanceof RunEnded) await logEnd(store, run)
      throw reason
    }
  }
}
