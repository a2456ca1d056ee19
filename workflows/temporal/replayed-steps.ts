// The steps of the plan as a workflow takes them: replayed from answers that the run's worker gives for many steps at once. That
// worker keeps limits, traps and seen addresses in memory; when it is gone, another one resumes the run from the store.
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow'
import type { CrawlSteps } from '../steps.ts'
import type { Answer, Progress, StepName, StepValue } from './activity-types.ts'
import type { Checkpoint } from './checkpoint.ts'
import { failureTypes, type ProjectWork } from './names.ts'
import { crawlActivitiesOf, shared } from './shared-activities.ts'

export interface ReplayedRun {
  /** The queue of the worker that has the run; null where none has. */
  worker: { queue: string | null }
  /** Called with the progress of the run. */
  note(progress: Progress): void
  /** Called when all answers are used up, before the worker is asked again; may end the plan by throwing. */
  renew(): Promise<void>
}

/**
 * The plan asks for `begin`: crawlOn answers [begin, seed a, walk a: 1000]. These three are given as the plan asks for them; at
 * its next walk nothing is left, and crawlOn is asked again.
 */
export function createReplayedSteps(
  run: ProjectWork,
  checkpoint: Checkpoint,
  { worker, note, renew }: ReplayedRun,
): CrawlSteps {
  let answers: Answer[] = []

  async function crawlOn() {
    for (;;) {
      worker.queue ??= await shared.claim(run)
      try {
        return await crawlActivitiesOf(worker.queue).crawlOn(run, checkpoint)
      } catch (error) {
        if (!isWorkerGone(error)) throw error
        worker.queue = null
        // A worker that has more to do than it can makes this go round for as long.
        await renew()
      }
    }
  }

  async function take<Name extends StepName>(step: Name): Promise<StepValue<Name>> {
    if (answers.length === 0) {
      await renew()
      const done = await crawlOn()
      answers = done.answers
      note(done.progress)
    }
    const answer = answers.shift()
    if (answer?.step !== step)
      throw new Error(`the worker follows another plan: ${answer?.step}, not ${step}`)
    return answer.value as StepValue<Name>
  }

  return {
    begin: () => take('begin'),
    seed: () => take('seed'),
    walk: () => take('walk'),
    resolveCanonicals: () => take('resolveCanonicals'),
    finishSource: () => take('finishSource'),
    settleDeferred: () => take('settleDeferred'),
    removeGone: () => take('removeGone'),
    sweep: () => take('sweep'),
    complete: () => take('complete'),
  }
}

function isWorkerGone(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false
  const { cause } = error
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'SCHEDULE_TO_START'
  return cause instanceof ApplicationFailure && cause.type === failureTypes.notClaimed
}
