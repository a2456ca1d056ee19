// Activities of any worker: ending runs, recrawls, schedules, and cleaning the index.
import type { CrawlDeps } from '../activities.ts'
import { recrawlPage } from '../recrawl.ts'
import { createSemaphore } from '../semaphore.ts'
import { removeOrphans, sweepVersions } from '../sweep.ts'
import { takeUpRecrawl } from '../take-up.ts'
import { firstVersionOf } from '../version.ts'
import { createVocabularyKeeper } from '../vocabulary.ts'
import type { SharedActivities } from './activity-types.ts'
import { withHeartbeat } from './heartbeat.ts'
import { endRun } from './run-endings.ts'
import type { TemporalRuns } from './temporal-runs.ts'

export interface BackgroundDeps extends Omit<CrawlDeps, 'vocabulary'> {
  runs: TemporalRuns
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
}

const recrawlsAtOnce = 4
const sweepAtOnce = 1_000
/** A writer that has not made a version current after so long never will, in milliseconds. */
const publishTimeout = 10 * 60_000

export function createBackgroundActivities(deps: BackgroundDeps): Omit<SharedActivities, 'takeUp'> {
  const { store, index, runs } = deps
  const semaphore = createSemaphore(recrawlsAtOnce)
  const now = () => deps.now().toISOString()

  async function sweepAll(project: string, signal: AbortSignal) {
    while (!signal.aborted && (await sweepVersions(store, index, project, sweepAtOnce)) > 0);
    signal.throwIfAborted()
  }

  return {
    endRun: (run, status) => withHeartbeat(() => endRun(store, run, status, now())),

    recrawlPage: ({ uuid, project }) =>
      withHeartbeat(({ signal, beat }) =>
        semaphore.run(
          project,
          async () => {
            const recrawl = await store.recrawls.get(project, uuid)
            if (recrawl === null || (await takeUpRecrawl(store, recrawl, now())) === null) return
            const vocabulary = createVocabularyKeeper(deps, project, deps.now)
            try {
              await recrawlPage({ ...deps, vocabulary }, recrawl, { signal, beat, onProgress() {} })
            } catch (error) {
              // Stopped in good order, or a backend is away: no death.
              await store.recrawls.release(uuid).catch(() => {})
              throw error
            }
          },
          signal,
        ),
      ),

    dropRecrawl: ({ uuid }) =>
      withHeartbeat(async () => {
        await store.recrawls.settle(uuid, { status: 'dropped', reason: 'unfetchable', finishedAt: now() })
      }),

    startScheduled: (uuid) =>
      withHeartbeat(async () => {
        const project = await store.projects.byUuid(uuid)
        // A schedule outlives its project's only where Temporal was away when it was to go.
        if (project?.config.sync.schedule == null) await runs.schedule(uuid, null)
        else await deps.startScheduled(uuid)
      }),

    sweepProject: (project) => withHeartbeat(({ signal }) => sweepAll(project, signal)),

    removeOrphans: (project) =>
      withHeartbeat(async ({ signal }) => {
        const before = deps.now().getTime() - publishTimeout
        await removeOrphans(store, index, project, firstVersionOf(new Date(before)))
        await sweepAll(project, signal)
      }),

    dropProject: (project) => withHeartbeat(() => index.drop(project)),
  }
}
