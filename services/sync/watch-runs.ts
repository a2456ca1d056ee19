// Reports the start and the end of each run, from callers, schedules and runners.
import type { RunKey, RunWithCounts } from '../store/run.ts'
import type { Store } from '../store/store.ts'

/** A run that has just started or ended, with its project's slug. */
export interface RunChange extends Pick<RunWithCounts, 'uuid' | 'trigger' | 'status' | 'error' | 'pages'> {
  project: string
  /** Duration; null if it has not ended or never started. */
  seconds: number | null
}

export type ReportRun = (change: RunChange) => void

/** Wraps the store. Calls `reportRun` once for each start and each end through it. */
export function watchRuns(store: Store, reportRun: ReportRun): Store {
  const { runs, projects } = store

  async function read(run: RunKey | undefined): Promise<RunChange | null> {
    if (!run) return null
    const [row, project] = await Promise.all([runs.get(run.project, run.uuid), projects.byUuid(run.project)])
    return row && project && toChange(row, project.slug)
  }

  async function report(run: RunKey | undefined) {
    // An error here must not fail the write, which has succeeded.
    const change = await read(run).catch(() => null)
    if (change) reportRun(change)
  }

  /** Calls `change`, and reports the run if it returns true. */
  async function reportAfter(uuid: string, change: () => Promise<boolean>) {
    const run = (await runs.live()).find((live) => live.uuid === uuid)
    const changed = await change()
    if (changed) await report(run)
    return changed
  }

  return {
    ...store,
    projects: {
      ...projects,
      async delete(uuid) {
        const change = await read((await runs.live()).find(({ project }) => project === uuid))
        const deleted = await projects.delete(uuid)
        const end = { status: 'cancelled', error: 'The project was deleted.' } as const
        if (deleted && change) reportRun({ ...change, ...end })
        return deleted
      },
    },
    runs: {
      ...runs,
      async begin(run) {
        const begun = await runs.begin(run)
        if (begun?.superseded) await report({ uuid: begun.superseded, project: run.project })
        return begun
      },
      start: (uuid, at) => reportAfter(uuid, () => runs.start(uuid, at)),
      finish: (uuid, end) => reportAfter(uuid, () => runs.finish(uuid, end)),
    },
  }
}

function toChange(run: RunWithCounts, project: string): RunChange {
  const { uuid, trigger, status, error, pages, startedAt, finishedAt } = run
  const isOver = startedAt !== null && finishedAt !== null
  const seconds = isOver ? (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000 : null
  return { project, uuid, trigger, status, error, pages, seconds }
}
