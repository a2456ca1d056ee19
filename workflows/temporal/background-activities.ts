// Activities of any worker: ending runs, recrawls, schedules, and cleaning the index.
import type { CrawlDeps } from '../activities.ts'
import { claimRecrawl } from '../claim.ts'
import { recrawlPage, recrawlsAtOnce } from '../recrawl.ts'
import { endRun } from '../run-endings.ts'
import { createSemaphore } from '../semaphore.ts'
import { notSuspect, type Suspect, type SuspectQueue } from '../suspects.ts'
import { removeOrphans, sweepAll } from '../sweep.ts'
import { firstVersionOf } from '../version.ts'
import { createVocabularyKeeper } from '../vocabulary.ts'
import type { SharedActivities } from './activity-types.ts'
import { type Heartbeat, withHeartbeat } from './heartbeat.ts'
import type { TemporalRuns } from './temporal-runs.ts'

export interface BackgroundDeps extends Omit<CrawlDeps, 'vocabulary'> {
  runs: TemporalRuns
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
}

/** A writer that has not made a version current after so long never will, in milliseconds. */
const publishTimeout = 10 * 60_000

export function createBackgroundActivities(
  deps: BackgroundDeps,
  suspects: SuspectQueue,
): Omit<SharedActivities, 'claim'> {
  const { store, index, runs } = deps
  const semaphore = createSemaphore(recrawlsAtOnce)
  const now = () => deps.now().toISOString()

  async function recrawl(uuid: string, project: string, { signal, beat }: Heartbeat, suspect: Suspect) {
    const recrawl = await store.recrawls.get(project, uuid)
    const deaths = recrawl === null ? null : await claimRecrawl(store, recrawl, now())
    if (recrawl === null || deaths === null) return
    if (deaths === 0) suspect.clear()
    const vocabulary = createVocabularyKeeper(deps, project, deps.now)
    try {
      await recrawlPage({ ...deps, vocabulary }, recrawl, { signal, beat, onProgress() {} })
    } catch (error) {
      // Stopped in good order, or a backend is away: no death.
      await store.recrawls.release(uuid).catch(() => {})
      throw error
    }
  }

  return {
    endRun: (run, status) => withHeartbeat(() => endRun(store, run, status, now())),

    recrawlPage: ({ uuid, project }) =>
      withHeartbeat(async (heartbeat) => {
        const { signal } = heartbeat
        const isResumed = (await store.recrawls.get(project, uuid))?.status === 'running'
        const acquit = () => store.recrawls.release(uuid).catch(() => {})
        const suspect = isResumed ? await suspects.enter(acquit, signal) : notSuspect
        await semaphore
          .run(project, () => recrawl(uuid, project, heartbeat, suspect), signal)
          .finally(suspect.clear)
      }),

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

    sweepProject: (project) => withHeartbeat(({ signal }) => sweepAll(store, index, project, signal)),

    removeOrphans: (project) =>
      withHeartbeat(async ({ signal }) => {
        const before = deps.now().getTime() - publishTimeout
        await removeOrphans(store, index, project, firstVersionOf(new Date(before)))
        await sweepAll(store, index, project, signal)
      }),

    dropProject: (project) => withHeartbeat(() => index.drop(project)),
  }
}
