// Reports the progress of a run to its workflow while pages are read, so that its details in the UI move.
import type { Store } from '../../services/store/store.ts'
import type { Progress, StepName } from './activity-types.ts'
import type { ProjectWork } from './names.ts'

/** Each report is four events of the history: at least so many pages and milliseconds lie between two. */
const minPages = 150
const minInterval = 2_000

/** Sends a workflow how far its run has come. */
export type Signaller = (workflow: { workflowId: string; runId: string }, progress: Progress) => Promise<void>

export interface ProgressReporter {
  /** Notes which step is under way. */
  doing(step: StepName): void
  /** Sends a report when one is due; `visited`: pages in all. Nobody waits for it, and it may fail. */
  report(visited: number): void
  progress(): Promise<Progress>
}

export function createProgressReporter(
  store: Store,
  { uuid, project }: ProjectWork,
  send: (progress: Progress) => Promise<void>,
): ProgressReporter {
  let step: StepName = 'begin'
  let reported = 0
  let reportedAt = performance.now()

  const progress = async () => ({ step, pages: (await store.runs.get(project, uuid))?.pages ?? null })

  return {
    doing(next) {
      step = next
    },

    report(visited) {
      const isDue = visited - reported >= minPages && performance.now() - reportedAt >= minInterval
      if (!isDue) return
      reported = visited
      reportedAt = performance.now()
      // The next report says it as well.
      progress()
        .then(send)
        .catch(() => {})
    },

    progress,
  }
}
