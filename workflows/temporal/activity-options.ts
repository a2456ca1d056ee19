// The activities as workflows ask for them: how long each may take, and what is tried again.
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow'
import type { Activities } from './activities.ts'

const options = {
  heartbeatTimeout: '5s',
  // The store's fence stops the work; nothing waits until the worker has heard of it.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
} as const

/** Where a backend is away, or a worker is gone. */
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' } as const

/** The steps of a run: a slow site may take weeks. A backend that is away for longer than some three days ends the run. */
export const steps = proxyActivities<Activities>({
  ...options,
  startToCloseTimeout: '90 days',
  retry: { ...retry, maximumAttempts: 8_640 },
})

/** What must get done. */
export const background = proxyActivities<Activities>({ ...options, startToCloseTimeout: '1 hour', retry })
