// All workflows, for Temporal's sandbox: no I/O and no clock. Steps of runs and background jobs are activities.
import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow'
import type { PageCounts, RunKey } from '../../services/store/run.ts'
import { type CrawlSteps, crawl } from '../crawl.ts'
import type { Activities } from './activities.ts'
import { failureTypes, type SyncInput } from './names.ts'

const options = {
  heartbeatTimeout: '5s',
  // Does not wait for the worker: the store's fence stops the work.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
} as const

/** Applies if a backend is unavailable or a worker is gone. */
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const

/** The steps of a run. A slow site may take weeks. An outage of a backend of some three days ends the run. */
const steps = proxyActivities<Activities>({
  ...options,
  startToCloseTimeout: '90 days',
  retry: { ...retry, maximumAttempts: 8_640 },
})

/** Background jobs, retried until they succeed. */
const background = proxyActivities<Activities>({ ...options, startToCloseTimeout: '1 hour', retry })

/** The cancellation of a run that has ended in the store arrives within this time. */
const noticeTimeout = '5s'

/** The sync of a project. Always ends the run in the store. Returns null if the run was ended meanwhile. */
export async function sync({ uuid, project }: SyncInput): Promise<PageCounts | null> {
  const run = { uuid, project }
  try {
    const pages = await crawl(createSteps(run))
    setCurrentDetails(toSummary(pages))
    return pages
  } catch (error) {
    if (isRunEnded(error)) {
      setCurrentDetails('**Ended**')
      // The caller that ended it in the store now cancels this execution, which then ends as cancelled.
      await sleep(noticeTimeout)
      return null
    }
    const isCancelled = isCancellation(error)
    await CancellationScope.nonCancellable(() => background.endRun(run, isCancelled ? 'cancelled' : 'failed'))
    setCurrentDetails(isCancelled ? '**Cancelled**' : '**Failed**')
    throw isCancelled ? error : toFailure()
  }
}

/** The steps of the plan as activities. Temporal's UI shows the current one, in Markdown. */
function createSteps(run: RunKey): CrawlSteps {
  let sources: { read: number; all: number } | null = null
  function show(step: string) {
    setCurrentDetails(
      `**${step}**${sources === null ? '' : ` (${sources.read} of ${sources.all} sources read)`}`,
    )
  }

  return {
    async start() {
      show('Beginning')
      const started = await steps.start(run)
      sources = { read: 0, all: started.sources.flat().length }
      return started
    },
    async readSources(group) {
      show('Reading pages')
      const read = await steps.readSources(run, group)
      sources!.read += group.length
      return read
    },
    async settle(unreadable) {
      show('Removing pages that are gone')
      await steps.settle(run, unreadable)
    },
    async finish() {
      show('Clearing the index')
      return steps.finish(run)
    },
  }
}

const columns = [
  ...(['discovered', 'pending', 'fetched', 'added', 'updated'] as const),
  ...(['unchanged', 'skipped', 'failed', 'removed'] as const),
]

function toSummary(pages: PageCounts): string {
  const rows = columns.map((column) => `| ${column} | ${pages[column]} |`)
  return ['**Done**', '', '| pages | |', '|---|---:|', ...rows].join('\n')
}

/** Only a sentence, because operators read histories. */
function toFailure(): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable('The run failed with an internal error.')
  delete failure.stack
  return failure
}

function isRunEnded(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof ApplicationFailure && cause.type === failureTypes.runEnded
}

export async function recrawl(work: RunKey): Promise<void> {
  try {
    await background.recrawlPage(work)
  } catch (error) {
    await CancellationScope.nonCancellable(() => background.dropRecrawl(work))
    throw error
  }
}

/** Started by a schedule. Starts a run in the store, which starts the workflow `sync`. */
export async function scheduledSync(project: string): Promise<void> {
  await background.startScheduled(project)
}

export async function sweep(project: string): Promise<void> {
  await background.sweepProject(project)
}

/** Drops twice: a worker that does not yet know of the deletion may add units for a moment. */
export async function drop(project: string): Promise<void> {
  await background.dropProject(project)
  await sleep('1 minute')
  await background.dropProject(project)
}
