// The activities as workflows ask for them: how long each may take, and what is tried again.
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow'
import type { CrawlActivities, SharedActivities } from './activity-types.ts'
import { failureTypes } from './names.ts'

const options = {
  heartbeatTimeout: '5s',
  // The store's fence stops the work; nothing waits until the worker has heard of it.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  /** Where a backend is away, or a worker is gone. */
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
} as const

/** Done by any worker. */
export const shared = proxyActivities<SharedActivities>({ ...options, startToCloseTimeout: '1 hour' })

/** Done by the worker that is asked on `taskQueue`. */
export function crawlActivitiesOf(taskQueue: string): CrawlActivities {
  return proxyActivities<CrawlActivities>({
    ...options,
    taskQueue,
    // No other worker is asked there: the workflow has the run claimed by one.
    retry: { ...options.retry, nonRetryableErrorTypes: [failureTypes.notClaimed] },
    // A worker that is there begins within milliseconds.
    scheduleToStartTimeout: '5s',
    startToCloseTimeout: '1 day',
    // A backend that is away for longer ends the run.
    scheduleToCloseTimeout: '3 days',
  })
}
