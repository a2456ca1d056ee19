// The sync of a project as a workflow: the plan of crawl.ts, each step an activity. However it ends, the run is ended in the store.
import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow'
import type { PageCounts } from '../../services/store/run.ts'
import { type CrawlSteps, crawl } from '../crawl.ts'
import { background, steps } from './activity-options.ts'
import { failureTypes, type ProjectWork, type SyncInput } from './names.ts'
import { toDetails, toSummary } from './progress.ts'

/** The cancellation of a run that has ended in the store arrives here within this time. */
const noticeTimeout = '5s'

/** Answers what came of the pages; null where the run was ended meanwhile. */
export async function sync({ uuid, project }: SyncInput): Promise<PageCounts | null> {
  const run = { uuid, project }
  try {
    const pages = await crawl(stepsOf(run))
    setCurrentDetails(toSummary(pages))
    return pages
  } catch (error) {
    if (isRunEnded(error)) {
      setCurrentDetails('**Ended**')
      // Whoever ended it in the store cancels this execution next, which then ends as cancelled.
      await sleep(noticeTimeout)
      return null
    }
    const isCancelled = isCancellation(error)
    await CancellationScope.nonCancellable(() => background.endRun(run, isCancelled ? 'cancelled' : 'failed'))
    setCurrentDetails(isCancelled ? '**Cancelled**' : '**Failed**')
    throw isCancelled ? error : toFailure()
  }
}

/** The steps of the plan as activities; the details tell which one is under way. */
function stepsOf(run: ProjectWork): CrawlSteps {
  let sources: { read: number; all: number } | null = null
  const show = (step: keyof CrawlSteps) => setCurrentDetails(toDetails(step, sources))

  return {
    async start() {
      show('start')
      const started = await steps.start(run)
      sources = { read: 0, all: started.sources.flat().length }
      return started
    },
    async readSources(group) {
      show('readSources')
      const read = await steps.readSources(run, group)
      sources!.read += group.length
      return read
    },
    async settle(unreadable) {
      show('settle')
      await steps.settle(run, unreadable)
    },
    async finish() {
      show('finish')
      return steps.finish(run)
    },
  }
}

/** A sentence only: histories are read by operators. */
function toFailure(): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable('The run met an internal error.')
  delete failure.stack
  return failure
}

function isRunEnded(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof ApplicationFailure && cause.type === failureTypes.runEnded
}
