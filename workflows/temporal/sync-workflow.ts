// The sync of a project as a workflow: the plan of crawl.ts, ended in the store however it ends (decisions.md section 5,
// "Sync run").
import {
  ApplicationFailure,
  CancellationScope,
  ContinueAsNew,
  continueAsNew,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import { crawl } from '../crawl.ts'
import type { Progress, SyncInput } from './activity-types.ts'
import { createAnsweredSteps } from './answered-steps.ts'
import { keepPosition, startPosition } from './kept-position.ts'
import { failureTypes, progressSignal } from './names.ts'
import { toDetails } from './progress.ts'
import { shared } from './shared-activities.ts'

/** An execution goes on as a new one, with an empty history, when its own has so many events. */
const maxHistoryEvents = 4_000
/** How long after a run has ended in the store the word of it may come here. */
const noticeTimeout = '5s'

export const progressed = defineSignal<[Progress]>(progressSignal)

export async function sync(input: SyncInput): Promise<void> {
  const run = { uuid: input.uuid, project: input.project }
  const { handedOn } = input
  const position = handedOn?.position ?? startPosition()
  const worker = { queue: handedOn?.queue ?? null }
  let progress: Progress = handedOn?.progress ?? { step: 'begin', pages: null }

  const show = (ended?: string) => setCurrentDetails(toDetails(progress, position, ended))
  const note = (now: Progress) => {
    progress = now
    show()
  }

  /** Goes on as an execution of its own when this one's history grows long. */
  async function renew() {
    const { historyLength, continueAsNewSuggested } = workflowInfo()
    if (historyLength < maxHistoryEvents && !continueAsNewSuggested) return
    await continueAsNew<typeof sync>({ ...input, handedOn: { position, queue: worker.queue, progress } })
  }

  setHandler(progressed, note)
  show()
  try {
    const steps = createAnsweredSteps(run, position, { worker, note, renew })
    await crawl(keepPosition(steps, position, async () => show()))
    show()
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error
    if (isRunEnded(error)) {
      show('Ended')
      // Who ended it in the store says so here in a moment, and the execution then ends as cancelled.
      await sleep(noticeTimeout)
      return
    }
    const isCancelled = isCancellation(error)
    await CancellationScope.nonCancellable(() => shared.endRun(run, isCancelled ? 'cancelled' : 'failed'))
    show(isCancelled ? 'Cancelled' : 'Failed')
    throw isCancelled ? error : ApplicationFailure.nonRetryable('The run met an internal error.')
  }
}

function isRunEnded(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof ApplicationFailure && cause.type === failureTypes.runEnded
}
