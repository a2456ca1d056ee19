// The client connection to Temporal, and the search attributes of runs.
import { Client, Connection, isGrpcServiceError, ServiceError } from '@temporalio/client'
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common'
import { AccessRefused, backendAway } from '../../services/errors.ts'
import type { SyncInput } from './names.ts'

export interface TemporalAddress {
  /** `host:port` of the frontend. */
  address: string
  namespace: string
  /** API key. With a key, the connection uses TLS. */
  key: string | null
}

/** Connection options for the SDK's client and worker. */
export function toAccess({ address, key }: Pick<TemporalAddress, 'address' | 'key'>) {
  return { address, ...(key !== null && { tls: true, apiKey: key }) }
}

export type TemporalClient = ReturnType<typeof createTemporalClient>

/** Milliseconds between attempts to connect. */
const reconnect = { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 1_000 }

/** gRPC codes by number: https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
const unavailable = new Set([1, 4, 8, 14])
const refused = new Set([7, 16])
const invalid = 3

/** `answerTimeout`: milliseconds. */
export function createTemporalClient(server: TemporalAddress, answerTimeout = 2_000) {
  const access = { ...toAccess(server), connectTimeout: answerTimeout }
  const connection = Connection.lazy({ ...access, channelArgs: reconnect })
  const client = new Client({ connection, namespace: server.namespace })

  return {
    client,
    /** Runs a call to Temporal. Rejects with backendAway('runs') if it does not answer in time. */
    async ask<Result>(work: () => Promise<Result>): Promise<Result> {
      try {
        return await connection.withDeadline(Date.now() + answerTimeout, work)
      } catch (error) {
        throw toDomain(error)
      }
    },
    close: () => connection.close(),
  }
}

/** Converts the error of a call if the server is unavailable. Returns other errors unchanged. */
function toDomain(error: unknown): unknown {
  const code = readCode(error)
  if (unavailable.has(code)) return backendAway('runs', error)
  return refused.has(code) ? backendAway('runs', new AccessRefused(error)) : error
}

/** Whether the server refuses the request. */
export const isInvalid = (error: unknown) => readCode(error) === invalid

function readCode(error: unknown): number {
  const cause = error instanceof ServiceError ? error.cause : error
  return isGrpcServiceError(cause) ? cause.code : Number.NaN
}

// Search attributes of runs in Temporal's UI, if the server has them or allows to add them.
const project = defineSearchAttributeKey('LecternProject', 'KEYWORD')
const run = defineSearchAttributeKey('LecternRun', 'KEYWORD')
const trigger = defineSearchAttributeKey('LecternTrigger', 'KEYWORD')

/** temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD */
const keyword = 2

/** Adds the search attributes. Some servers allow this only to their operator. */
export async function addSearchAttributes({ client, ask }: TemporalClient): Promise<void> {
  const { namespace } = client.options
  const searchAttributes = Object.fromEntries([project, run, trigger].map(({ name }) => [name, keyword]))
  const { operatorService } = client.connection
  await ask(() => operatorService.addSearchAttributes({ namespace, searchAttributes }))
}

export function toSearchAttributes(sync: SyncInput): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: project, value: sync.slug },
    { key: run, value: sync.uuid },
    { key: trigger, value: sync.trigger },
  ])
}
