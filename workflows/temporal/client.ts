// The connection to Temporal as a caller, and the workflow of a project's sync: started in place of the one before, cancelled, looked at.
import {
  Client,
  Connection,
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common'
import pTimeout from 'p-timeout'
import { AccessRefused, backendAway } from '../../services/errors.ts'
import { type Sync, type SyncInput, taskQueue, workflowIds } from './names.ts'

export interface TemporalAddress {
  /** `host:port` of the frontend. */
  address: string
  namespace: string
  /** API key; with one the connection is encrypted. */
  key: string | null
}

/** As both the client and the worker of the SDK take it. */
export function toAccess({ address, key }: Pick<TemporalAddress, 'address' | 'key'>) {
  return { address, ...(key !== null && { tls: true, apiKey: key }) }
}

export interface TemporalClient {
  client: Client
  /** Does what asks Temporal; rejects with backendAway('runs') where it does not answer within two seconds. */
  ask<Result>(work: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

const answerTimeout = 2_000
/** Between two tries to connect, in milliseconds. */
const reconnect = { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 1_000 }

/** gRPC codes by number: https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
const unavailable = new Set([1, 4, 8, 14])
const refused = new Set([7, 16])

export function createTemporalClient({ namespace, ...server }: TemporalAddress): TemporalClient {
  const access = toAccess(server)
  const connection = Connection.lazy({ ...access, connectTimeout: answerTimeout, channelArgs: reconnect })
  const client = new Client({ connection, namespace })

  return {
    client,
    async ask(work) {
      try {
        return await connection.withDeadline(Date.now() + answerTimeout, work)
      } catch (error) {
        throw toDomain(error)
      }
    },
    close: () => connection.close(),
  }
}

/** What a failed call means to the core; anything but an unavailable server stays as it is. */
function toDomain(error: unknown): unknown {
  const cause = error instanceof ServiceError ? error.cause : error
  if (!isGrpcServiceError(cause)) return error
  if (unavailable.has(cause.code)) return backendAway('runs', error)
  return refused.has(cause.code) ? backendAway('runs', new AccessRefused(error)) : error
}

/** A cancelled execution ends by itself so soon, in milliseconds, where a worker is there; else it is terminated. */
const cancelTimeout = 1_500

interface SyncExecutions {
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
  function toHandle({ workflowId, runId }: WorkflowExecutionDescription) {
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
    const handle = toHandle(description)
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
        const other = readMemo(before)
        // Of runs begun at the same time, the calls may come in any order: the newest stays.
        if (other.project === input.project && other.fence >= input.fence) return
        await replaceRunning(before)
      }
    },

    async cancel({ uuid, slug }) {
      const description = await describe(slug)
      if (description?.status.name !== 'RUNNING' || readMemo(description).uuid !== uuid) return
      try {
        await ask(() => toHandle(description).cancel())
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      }
    },

    async state({ uuid, slug }) {
      const description = await describe(slug)
      if (description === null || readMemo(description).uuid !== uuid) return 'none'
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

function readMemo({ memo }: WorkflowExecutionDescription): Partial<SyncInput> & { fence: number } {
  return { fence: 0, ...memo }
}

/** Whether it settles, either way, before the time is over. */
async function endsSoon(result: Promise<unknown>): Promise<boolean> {
  const ended = Promise.allSettled([result]).then(() => true)
  return pTimeout(ended, { milliseconds: cancelTimeout, fallback: () => false })
}

// What a person can search runs by in Temporal's UI, where the server lets us add it: the project's slug, the run's UUID, the trigger.
const project = defineSearchAttributeKey('LecternProject', 'KEYWORD')
const run = defineSearchAttributeKey('LecternRun', 'KEYWORD')
const trigger = defineSearchAttributeKey('LecternTrigger', 'KEYWORD')

/** temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD */
const keyword = 2

/**
 * Answers whether the namespace has the attributes, adding those that are missing. A server whose operator adds them (some
 * let nobody else) has them or has not; runs are then found by the id of their workflow.
 */
async function hasSearchAttributes({ client, ask }: TemporalClient): Promise<boolean> {
  const { operatorService } = client.connection
  const { namespace } = client.options
  const wanted = [project, run, trigger].map(({ name }) => name)
  const list = async () => {
    const { customAttributes = {} } = await ask(() => operatorService.listSearchAttributes({ namespace }))
    return wanted.filter((name) => customAttributes?.[name] !== keyword)
  }
  const missing = await list()
  if (missing.length === 0) return true
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, keyword]))
  await ask(() => operatorService.addSearchAttributes({ namespace, searchAttributes }))
  return (await list()).length === 0
}

function toSearchAttributes(sync: SyncInput): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: project, value: sync.slug },
    { key: run, value: sync.uuid },
    { key: trigger, value: sync.trigger },
  ])
}
