// What any worker may do: ending runs, recrawls, schedules, and clearing the index.
import type { CrawlDeps } from '../activities.ts'
import { recrawlPage } from '../recrawl.ts'
import { removeOrphans, sweepVersions } from '../sweep.ts'
import { takeUpRecrawl } from '../take-up.ts'
import { createTurns } from '../turns.ts'
import { firstVersionOf } from '../version.ts'
import { createVocabularyKeeper } from '../vocabulary.ts'
import type { SharedActivities } from './activity-types.ts'
import { withPulse } from './pulse.ts'
import { endRun } from './run-endings.ts'
import type { TemporalRuns } from './temporal-runs.ts'

export interface ErrandDeps extends Omit<CrawlDeps, 'vocabulary'> {
  runs: TemporalRuns
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
}

const recrawlsAtOnce = 4
const sweepAtOnce = 1_000
/** A writer that has not made a version current after so long never will, in milliseconds. */
const publishTimeout = 10 * 60_000

export function createErrandActivities(deps: ErrandDeps): Omit<SharedActivities, 'takeUp'> {
  const { store, index, runs } = deps
  const turns = createTurns(recrawlsAtOnce)
  const now = () => deps.now().toISOString()

  async function sweepAll(project: string, signal: AbortSignal) {
    while (!signal.aborted && (await sweepVersions(store, index, project, sweepAtOnce)) > 0);
    signal.throwIfAborted()
  }

  return {
    endRun: (run, status) => withPulse(() => endRun(store, run, status, now())),

    recrawlPage: ({ uuid, project }) =>
      withPulse(({ signal, beat }) =>
        turns.take(
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
      withPulse(async () => {
        await store.recrawls.settle(uuid, { status: 'dropped', reason: 'unfetchable', finishedAt: now() })
      }),

    startScheduled: (uuid) =>
      withPulse(async () => {
        const project = await store.projects.byUuid(uuid)
        // A schedule outlives its project's only where Temporal was away when it was to go.
        if (project?.config.sync.schedule == null) await runs.schedule(uuid, null)
        else await deps.startScheduled(uuid)
      }),

    sweepProject: (project) => withPulse(({ signal }) => sweepAll(project, signal)),

    tidyProject: (project) =>
      withPulse(async ({ signal }) => {
        const before = deps.now().getTime() - publishTimeout
        await removeOrphans(store, index, project, firstVersionOf(new Date(before)))
        await sweepAll(project, signal)
      }),

    dropProject: (project) => withPulse(() => index.drop(project)),
  }
}
