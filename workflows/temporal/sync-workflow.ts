// The sync of a project as a workflow: the plan of crawl.ts. However it ends, the run is ended in the store.
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
import { emptyCheckpoint, resumeFrom } from './checkpoint.ts'
import { failureTypes, progressSignal } from './names.ts'
import { toDetails } from './progress.ts'
import { createReplayedSteps } from './replayed-steps.ts'
import { shared } from './shared-activities.ts'

/** With more events than this, the workflow continues as a new execution with an empty history. */
const maxHistoryEvents = 4_000
/** The cancellation of a run that has ended in the store arrives here within this time. */
const noticeTimeout = '5s'

export const progressed = defineSignal<[Progress]>(progressSignal)

export async function sync(input: SyncInput): Promise<void> {
  const run = { uuid: input.uuid, project: input.project }
  const { continued } = input
  const checkpoint = continued?.checkpoint ?? emptyCheckpoint()
  const worker = { queue: continued?.queue ?? null }
  let progress: Progress = continued?.progress ?? { step: 'begin', pages: null }

  const show = (ended?: string) => setCurrentDetails(toDetails(progress, checkpoint, ended))
  const note = (now: Progress) => {
    progress = now
    show()
  }

  /** Continues as a new execution when the history grows long. */
  async function renew() {
    const { historyLength, continueAsNewSuggested } = workflowInfo()
    if (historyLength < maxHistoryEvents && !continueAsNewSuggested) return
    await continueAsNew<typeof sync>({ ...input, continued: { checkpoint, queue: worker.queue, progress } })
  }

  setHandler(progressed, note)
  show()
  try {
    const steps = createReplayedSteps(run, checkpoint, { worker, note, renew })
    await crawl(resumeFrom(steps, checkpoint, async () => show()))
    show()
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error
    if (isRunEnded(error)) {
      show('Ended')
      // Whoever ended it in the store cancels this execution next, which then ends as cancelled.
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
