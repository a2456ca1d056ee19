// Every activity of a worker, with its errors turned into what Temporal is to do about them.
import { RunEnded } from '../run-control.ts'
import { noteEnd } from '../run-endings.ts'
import { createSuspectQueue } from '../suspects.ts'
import type { CrawlActivities, SharedActivities } from './activity-types.ts'
import { type BackgroundDeps, createBackgroundActivities } from './background-activities.ts'
import { createCrawlActivities } from './crawl-activity.ts'
import { toFailure } from './failures.ts'
import { withHeartbeat } from './heartbeat.ts'
import { createLiveRuns } from './live-runs.ts'
import { failureTypes, type ProjectWork } from './names.ts'
import { createProgressReporter, type Signaller } from './progress-reporter.ts'

export interface WorkerActivityDeps extends BackgroundDeps {
  /** Where this worker is asked for the steps of the runs that it has claimed. */
  queue: string
  signal: Signaller
  /** Told of faults: what Temporal keeps of them is a sentence. */
  report(error: unknown): void
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments of any activity
type Activity = (...args: any[]) => Promise<unknown>

export function createWorkerActivities(deps: WorkerActivityDeps): SharedActivities & CrawlActivities {
  const { store, runs } = deps
  const suspects = createSuspectQueue()
  const liveRuns = createLiveRuns(deps, suspects)

  async function claim(run: ProjectWork, signal: AbortSignal) {
    try {
      const { status } = await liveRuns.claim(run, signal)
      // Whoever had it before may have been killed between index and store.
      if (status === 'running') await runs.removeOrphans(run.project)
    } catch (error) {
      if (error instanceof RunEnded) await noteEnd(store, run)
      throw error
    }
  }

  function toActivity<Method extends Activity>(method: Method): Method {
    return (async (...args) => {
      try {
        return await method(...args)
      } catch (error) {
        const failure = toFailure(error)
        if (isFault(failure)) deps.report(error)
        throw failure
      }
    }) as Method
  }

  const activities: SharedActivities & CrawlActivities = {
    ...createBackgroundActivities(deps, suspects),
    ...createCrawlActivities({
      liveRuns,
      claim,
      release: (run) => store.runs.release(run.uuid),
      createReporter: (run, workflow) =>
        createProgressReporter(store, run, (now) => deps.signal(workflow, now)),
    }),
    claim: (run) =>
      withHeartbeat(async ({ signal }) => {
        await claim(run, signal)
        return deps.queue
      }),
  }
  return Object.fromEntries(
    Object.entries(activities).map(([name, method]) => [name, toActivity(method as Activity)]),
  ) as typeof activities
}

function isFault(failure: Error): boolean {
  return 'type' in failure && failure.type === failureTypes.fault
}
