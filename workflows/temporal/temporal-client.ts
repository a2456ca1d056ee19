// The connection to Temporal as a caller: connects when it is first used and again by itself, and says when it is away.
import { Client, Connection, isGrpcServiceError, ServiceError } from '@temporalio/client'
import { AccessRefused, backendAway } from '../../services/errors.ts'

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
const away = new Set([1, 4, 8, 14])
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

/** What a failed call means to the core; anything that is not the server's absence stays as it is. */
function toDomain(error: unknown): unknown {
  const cause = error instanceof ServiceError ? error.cause : error
  if (!isGrpcServiceError(cause)) return error
  if (away.has(cause.code)) return backendAway('runs', error)
  return refused.has(cause.code) ? backendAway('runs', new AccessRefused(error)) : error
}
