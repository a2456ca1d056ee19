// The steps of the plan as a workflow takes them: from answers that the run's worker gives for many steps at once. What that
// worker keeps in memory (limits, traps, addresses seen) would be of no use to another; when it is gone, another takes the
// run up where the store says that it stands.
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow'
import type { CrawlSteps } from '../steps.ts'
import type { Answer, Progress, StepName, StepValue } from './activity-types.ts'
import type { Position } from './kept-position.ts'
import { failureTypes, type ProjectWork } from './names.ts'
import { crawlActivitiesOf, shared } from './shared-activities.ts'

export interface AnsweredRun {
  /** The queue of the worker that has the run; null where none has. */
  worker: { queue: string | null }
  /** Hears how far the run has come. */
  note(progress: Progress): void
  /** Called ahead of each asking, when nothing that was answered is left; may end the plan by throwing. */
  renew(): Promise<void>
}

/**
 * The plan asks for `begin`: crawlOn answers [begin, seed a, walk a: 1000]. These three are given as the plan asks for them; at
 * its next walk nothing is left, and crawlOn is asked again.
 */
export function createAnsweredSteps(
  run: ProjectWork,
  position: Position,
  { worker, note, renew }: AnsweredRun,
): CrawlSteps {
  let answers: Answer[] = []

  async function crawlOn() {
    for (;;) {
      worker.queue ??= await shared.takeUp(run)
      try {
        return await crawlActivitiesOf(worker.queue).crawlOn(run, position)
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
    judgeDiverted: () => take('judgeDiverted'),
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
  return cause instanceof ApplicationFailure && cause.type === failureTypes.notTakenUp
}
