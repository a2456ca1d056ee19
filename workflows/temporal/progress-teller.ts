// Tells a run's workflow how far the run has come while pages are read, so that its details in the UI move.
import type { Store } from '../../services/store/store.ts'
import type { Progress, StepName } from './activity-types.ts'
import type { ProjectWork } from './names.ts'

/** Each time is four events of the history: never more often than after so many pages, and so many milliseconds. */
const tellAfterPages = 150
const tellAfterMs = 2_000

/** Sends a workflow how far its run has come. */
export type Signaller = (workflow: { workflowId: string; runId: string }, progress: Progress) => Promise<void>

export interface ProgressTeller {
  /** Notes which step is under way. */
  doing(step: StepName): void
  /** Tells the workflow when it is time to; `visited` pages in all. Nobody waits for it, and it may fail. */
  tell(visited: number): void
  progress(): Promise<Progress>
}

export function createProgressTeller(
  store: Store,
  { uuid, project }: ProjectWork,
  send: (progress: Progress) => Promise<void>,
): ProgressTeller {
  let step: StepName = 'begin'
  let told = 0
  let toldAt = performance.now()

  const progress = async () => ({ step, pages: (await store.runs.get(project, uuid))?.pages ?? null })

  return {
    doing(next) {
      step = next
    },

    tell(visited) {
      const isDue = visited - told >= tellAfterPages && performance.now() - toldAt >= tellAfterMs
      if (!isDue) return
      told = visited
      toldAt = performance.now()
      // The next time tells it as well.
      progress()
        .then(send)
        .catch(() => {})
    },

    progress,
  }
}
