// Every activity of a worker: the steps of runs, their endings, recrawls, schedules, and cleaning the index.
import { createSemaphore } from '../../services/semaphore.ts'
import { claimOfRecrawl, whileClaimed } from '../claim.ts'
import type { CrawlSteps } from '../crawl.ts'
import { recrawlPage, recrawlsAtOnce } from '../recrawl.ts'
import type { CrawlDeps } from '../run-control.ts'
import { dropRecrawl, endRun } from '../run-endings.ts'
import { createSuspectQueue, notSuspect } from '../suspects.ts'
import { removeOrphans, sweepAll } from '../sweep.ts'
import { firstVersionOf } from '../version.ts'
import { toFailure } from './failures.ts'
import { withHeartbeat } from './heartbeat.ts'
import { failureTypes, type ProjectWork } from './names.ts'
import { createRunSteps } from './run-steps.ts'
import type { TemporalRuns } from './temporal-runs.ts'

export interface ActivityDeps extends CrawlDeps {
  runs: TemporalRuns
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
  /** Told of faults: what Temporal keeps of them is a sentence. */
  report(error: unknown): void
}

/** What they take and give is recorded in histories: ids and counts only. A type, so that it fits what workflows ask for. */
export type Activities = ReturnType<typeof createActivities>

/** A writer that has not made a version current after so long never will, in milliseconds. */
const publishTimeout = 10 * 60_000

export function createActivities(deps: ActivityDeps) {
  const { store, index, runs, now } = deps
  const suspects = createSuspectQueue()
  const recrawlSemaphore = createSemaphore({ max: recrawlsAtOnce })
  const doStep = createRunSteps(deps, suspects)

  const onRun = <Result>(run: ProjectWork, step: (steps: CrawlSteps) => Promise<Result>) =>
    withHeartbeat((heartbeat) => doStep(run, heartbeat, step))

  return reportingFaults(deps.report, {
    start: (run: ProjectWork) => onRun(run, (steps) => steps.start()),
    readSources: (run: ProjectWork, sources: string[]) => onRun(run, (steps) => steps.readSources(sources)),
    settle: (run: ProjectWork, unreadable: string[]) => onRun(run, (steps) => steps.settle(unreadable)),
    finish: (run: ProjectWork) => onRun(run, (steps) => steps.finish()),

    /** Ends a run that has not ended. */
    endRun: (run: ProjectWork, status: 'failed' | 'cancelled') =>
      withHeartbeat(() => endRun(store, run, status, now())),

    recrawlPage: ({ uuid, project }: ProjectWork) =>
      withHeartbeat(async ({ signal, attempt }) => {
        const claim = claimOfRecrawl(store, { uuid }, now)
        const suspect = attempt > 1 ? await suspects.enter(claim.release, signal) : notSuspect
        const work = async () => {
          const recrawl = await store.recrawls.get(project, uuid)
          if (recrawl !== null) await recrawlPage(deps, recrawl, signal)
        }
        await recrawlSemaphore
          .run(project, () => whileClaimed(claim, suspect, work), signal)
          .finally(suspect.clear)
      }),

    dropRecrawl: ({ uuid }: ProjectWork) => withHeartbeat(() => dropRecrawl(store, uuid, now())),

    /** Begins a run as a caller would, if the project still has a schedule and no run that is live. */
    startScheduled: (uuid: string) =>
      withHeartbeat(async () => {
        const project = await store.projects.byUuid(uuid)
        // A schedule outlives its project's only where Temporal was away when it was to go.
        if (project?.config.sync.schedule == null) await runs.schedule(uuid, null)
        else await deps.startScheduled(uuid)
      }),

    /** Takes what a deleted source left behind out of the index. */
    sweepProject: (project: string) => withHeartbeat(({ signal }) => sweepAll(store, index, project, signal)),

    /** Takes units that a kill left without a page out of the index. */
    removeOrphans: (project: string) =>
      withHeartbeat(async ({ signal }) => {
        const before = now().getTime() - publishTimeout
        await removeOrphans(store, index, project, firstVersionOf(new Date(before)))
        await sweepAll(store, index, project, signal)
      }),

    /** Takes a deleted project's units out of the index. */
    dropProject: (project: string) => withHeartbeat(() => index.drop(project)),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments of any activity
type Activity = (...args: any[]) => Promise<unknown>

/** The same activities; an error becomes what Temporal is to do about it, and a fault is reported. */
function reportingFaults<All extends Record<string, Activity>>(
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
