// Connects to Weaviate. Creates the collections, reconnects after an outage, and converts errors to DomainErrors.
import pTimeout from 'p-timeout'
import weaviate, { ApiKey, configure, type WeaviateClient } from 'weaviate-client'
import type { WeaviateConfig } from '../../config.ts'
import { AccessRefused, DomainError, isAway } from '../../errors.ts'
import { retry } from '../../retry.ts'

// Units of all projects, and their vectors. Each project has its own tenants, so that a search never reaches another project and
// a project is deleted as a whole.
export const unitCollection = 'LecternUnit'
export const vectorCollection = 'LecternVector'

const unindexed = { dataType: 'text', indexSearchable: false, indexFilterable: false } as const
const searched = {
  dataType: 'text',
  tokenization: 'whitespace',
  indexSearchable: true,
  indexFilterable: false,
} as const
const filtered = {
  dataType: 'text',
  tokenization: 'field',
  indexSearchable: false,
  indexFilterable: true,
} as const

const facets = ['pageVersion', 'sourceType', 'docVersion', 'language'].map((name) => ({ name, ...filtered }))

const tenants = configure.multiTenancy({
  enabled: true,
  autoTenantCreation: true,
  autoTenantActivation: true,
})

const unitDefinition = {
  name: unitCollection,
  properties: [
    { name: 'terms', ...searched },
    { name: 'text', ...unindexed },
    { name: 'head', ...unindexed },
    ...facets,
  ],
  invertedIndex: configure.invertedIndex({
    // As in segments/posting.ts.
    bm25k1: 1.2,
    bm25b: 0.75,
    stopwordsPreset: 'none',
    indexTimestamps: false,
  }),
  // Vectors are in the other collection, so that they can be deleted separately.
  vectorizers: configure.vectors.selfProvided({ vectorIndexConfig: configure.vectorIndex.flat() }),
  multiTenancy: tenants,
}

const vectorDefinition = {
  name: vectorCollection,
  properties: facets,
  vectorizers: configure.vectors.selfProvided({
    vectorIndexConfig: configure.vectorIndex.hnsw({ distanceMetric: 'cosine' }),
  }),
  multiTenancy: tenants,
}

/** Creates missing collections. Processes may do so concurrently. */
export async function ensureCollections(client: WeaviateClient): Promise<void> {
  for (const definition of [unitDefinition, vectorDefinition]) {
    if (await client.collections.exists(definition.name)) continue
    await client.collections.create(definition as never).catch(async (error) => {
      // Another process may have created it.
      if (!(await client.collections.exists(definition.name))) throw error
    })
  }
}

// weaviate-client 3.14 logs a stack to the console before each of its retries, without an option to disable it. Lectern logs
// that Weaviate is unreachable itself.
const retryWarning = /^(Attempt|Healthcheck) \d+ failed\. Retrying in /

/** Wraps `console.warn` to drop these warnings. */
export function withoutRetries(warn: (...args: unknown[]) => void): (...args: unknown[]) => void {
  return (...args) => {
    if (!retryWarning.test(String(args[1]))) warn(...args)
  }
}
console.warn = withoutRetries(console.warn)

export type Connection = ReturnType<typeof createConnection>

interface CallLimits {
  /** Timeout of a call in seconds. */
  timeout: number
  /** Milliseconds before each retry while Weaviate is unreachable; empty: no retries. */
  pauses: number[]
}

/** The project has nothing in the collection. */
export class MissingTenant extends Error {}

/** Timeout of the readiness check in milliseconds. */
const probeTime = 1_000

export function createConnection({ url, grpc, key }: WeaviateConfig, limits: CallLimits) {
  let current: WeaviateClient | null = null
  let isClosed = false

  /**
   * Creates a new client after an outage, because the backoff of the old one's gRPC channel keeps growing. Checks first
   * that the server responds over HTTP.
   */
  async function client(): Promise<WeaviateClient> {
    if (current === null) {
      const ready = await fetch(`${url}/v1/.well-known/ready`, { signal: AbortSignal.timeout(probeTime) })
      await ready.arrayBuffer()
      if (!ready.ok) throw new Error(`Weaviate is not ready: ${ready.status}`)
      current ??= await connect({ url, grpc, key }, limits.timeout)
    }
    return current
  }

  function discard(failed: WeaviateClient | null) {
    if (failed === null || failed !== current) return
    current = null
    // Other calls may still be using it.
    setTimeout(() => failed.close(), limits.timeout * 1_000).unref()
  }

  async function once<Answer>(work: (client: WeaviateClient) => Promise<Answer>): Promise<Answer> {
    let used: WeaviateClient | null = null
    const answer = (async () => {
      used = await client()
      try {
        return await work(used)
      } catch (error) {
        if (!isAnswer(error, 'could not find class')) throw error
        // Weaviate has lost its data: start with empty collections.
        await ensureCollections(used)
        return await work(used)
      }
    })()
    try {
      return await pTimeout(answer, {
        milliseconds: limits.timeout * 1_000,
        message: `Weaviate took more than ${limits.timeout} s.`,
      })
    } catch (error) {
      if (error instanceof DomainError) throw error
      if (isAnswer(error, 'tenant not found')) throw new MissingTenant('', { cause: error })
      if (isAnswer(error, 'vector lengths')) throw wrongDimension(error)
      discard(used)
      throw toUnavailable(error)
    }
  }

  return {
    /**
     * Runs `work` and returns its result. Rejects with DomainError(unavailable) if Weaviate is unreachable, times out or fails, and
     * with MissingTenant if the project has no tenant. `work` must be idempotent: it may be retried.
     */
    use: <Answer>(work: (client: WeaviateClient) => Promise<Answer>): Promise<Answer> =>
      retry(() => once(work), limits.pauses, {
        onFailure(error) {
          if (isClosed || !isAway(error) || error.cause instanceof AccessRefused) throw error
        },
      }),
    close() {
      isClosed = true
      current?.close()
      current = null
    },
  }
}

async function connect({ url, grpc, key }: WeaviateConfig, seconds: number): Promise<WeaviateClient> {
  const http = new URL(url)
  const colon = grpc.lastIndexOf(':')
  const secure = http.protocol === 'https:'
  const client = await weaviate.connectToCustom({
    httpHost: http.hostname,
    httpPort: Number(http.port || (secure ? 443 : 80)),
    httpSecure: secure,
    httpPath: http.pathname.replace(/\/$/, ''),
    grpcHost: grpc.slice(0, colon),
    grpcPort: Number(grpc.slice(colon + 1)),
    grpcSecure: secure,
    ...(key !== null && { authCredentials: new ApiKey(key) }),
    timeout: { init: seconds, query: seconds, insert: seconds },
    skipInitChecks: true,
  })
  // weaviate-client 3.14 requests the version in each `collections.use` until it knows it, without awaiting the promise. A
  // failure would end the process with an unhandled rejection.
  await client.getWeaviateVersion()
  return client
}

const isAnswer = (error: unknown, words: string) => error instanceof Error && error.message.includes(words)

/** The key is missing or wrong. A retry is pointless. */
const isRefused = (error: unknown) =>
  error instanceof Error &&
  /status code: 40[13]|unauthenticated|permission_denied|unauthorized/i.test(error.message)

export const wrongDimension = (cause?: unknown) =>
  new DomainError('invalid', 'The index has vectors of another dimension.', null, cause)

const toUnavailable = (cause: unknown) =>
  new DomainError(
    'unavailable',
    'The search index does not answer.',
    null,
    isRefused(cause) ? new AccessRefused(cause) : cause,
    5,
  )
