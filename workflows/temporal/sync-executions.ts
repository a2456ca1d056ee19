// The workflow of a project's sync as the core and the workers handle it: started in place of the one before, cancelled,
// looked at.
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client'
import pTimeout from 'p-timeout'
import { type Sync, type SyncInput, taskQueue, workflowIds } from './names.ts'
import { hasSearchAttributes, toSearchAttributes } from './search-attributes.ts'
import type { TemporalClient } from './temporal-client.ts'

/** A cancelled execution ends by itself so soon, in milliseconds, where a worker is there; else it is terminated. */
const cancelTimeout = 1_500

export interface SyncExecutions {
  /** Starts the run's workflow unless a newer run of the project has its place; ends an older one's. */
  start(input: SyncInput): Promise<void>
  /** Cancels the run's workflow; one that has ended, or is another run's, is left alone. */
  cancel(run: { uuid: string; slug: string }): Promise<void>
  /** How the run's workflow stands: `none` where the project's newest workflow is another run's. */
  state(run: { uuid: string; slug: string }): Promise<'open' | 'none' | 'cancelled' | 'failed' | 'completed'>
}

export function createSyncExecutions(temporal: TemporalClient): SyncExecutions {
  const { client, ask } = temporal
  let searchable: Promise<boolean> | null = null

  /** Asked for once; again where Temporal was away. */
  function isSearchable(): Promise<boolean> {
    searchable ??= hasSearchAttributes(temporal).catch(() => {
      searchable = null
      return false
    })
    return searchable
  }

  async function describe(slug: string): Promise<WorkflowExecutionDescription | null> {
    try {
      return await ask(() => client.workflow.getHandle(workflowIds.sync(slug)).describe())
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null
      throw error
    }
  }

  /** The execution, and no other of the same id. */
  function handleOf({ workflowId, runId }: WorkflowExecutionDescription) {
    return client.workflow.getHandle<Sync>(workflowId, runId)
  }

  async function launch(input: SyncInput, withAttributes: boolean): Promise<boolean> {
    const attributes = withAttributes && { typedSearchAttributes: toSearchAttributes(input) }
    try {
      await ask(() =>
        client.workflow.start<Sync>('sync', {
          workflowId: workflowIds.sync(input.slug),
          taskQueue,
          args: [input],
          memo: { ...input },
          staticSummary: `Sync of ${input.slug} (${input.trigger})`,
          staticDetails: `Run ${input.uuid} of project ${input.slug} (${input.project})`,
          ...attributes,
        }),
      )
      return true
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false
      if (!attributes || !isInvalid(error)) throw error
      // Not every part of the server knows the attributes yet: on a cluster that takes a minute. The next run may have them.
      searchable = null
      return launch(input, false)
    }
  }

  /** Ends what is left of a run that the store has ended. */
  async function replaceRunning(description: WorkflowExecutionDescription) {
    const handle = handleOf(description)
    try {
      await ask(() => handle.cancel())
      if (await endsSoon(handle.result())) return
      await ask(() => handle.terminate('A newer run has taken its place, and no worker ended it.'))
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error
    }
  }

  return {
    async start(input) {
      while (!(await launch(input, await isSearchable()))) {
        const before = await describe(input.slug)
        if (before?.status.name !== 'RUNNING') continue
        const other = memoOf(before)
        // Of runs begun at the same time, the calls may come in any order: the newest stays.
        if (other.project === input.project && other.fence >= input.fence) return
        await replaceRunning(before)
      }
    },

    async cancel({ uuid, slug }) {
      const description = await describe(slug)
      if (description?.status.name !== 'RUNNING' || memoOf(description).uuid !== uuid) return
      try {
        await ask(() => handleOf(description).cancel())
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      }
    },

    async state({ uuid, slug }) {
      const description = await describe(slug)
      if (description === null || memoOf(description).uuid !== uuid) return 'none'
      return states[description.status.name] ?? 'failed'
    },
  }
}

function isInvalid(error: unknown): boolean {
  return error instanceof ServiceError && isGrpcServiceError(error.cause) && error.cause.code === 3
}

const states: Record<string, 'open' | 'cancelled' | 'completed'> = {
  RUNNING: 'open',
  CANCELLED: 'cancelled',
  TERMINATED: 'cancelled',
  COMPLETED: 'completed',
}

function memoOf({ memo }: WorkflowExecutionDescription): Partial<SyncInput> & { fence: number } {
  return { fence: 0, ...memo }
}

/** Whether it settles, either way, before the time is over. */
async function endsSoon(result: Promise<unknown>): Promise<boolean> {
  const ended = Promise.allSettled([result]).then(() => true)
  return pTimeout(ended, { milliseconds: cancelTimeout, fallback: () => false })
}
