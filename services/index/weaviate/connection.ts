// Connects to Weaviate: makes its collections, a new client after an outage, and DomainErrors of errors.
import pTimeout from 'p-timeout'
import weaviate, { ApiKey, configure, type WeaviateClient } from 'weaviate-client'
import type { WeaviateConfig } from '../../config.ts'
import { AccessRefused, DomainError, isAway } from '../../errors.ts'
import { retry } from '../../retry.ts'

// Units of all projects, and their vectors. In both a project has tenants of its own, so that nothing of another is ever searched,
// and a project goes as a whole.
export const unitCollection = 'LecternUnit'
export const vectorCollection = 'LecternVector'

const kept = { dataType: 'text', indexSearchable: false, indexFilterable: false } as const
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
    { name: 'text', ...kept },
    { name: 'head', ...kept },
    ...facets,
  ],
  invertedIndex: configure.invertedIndex({
    // As in segments/posting.ts.
    bm25k1: 1.2,
    bm25b: 0.75,
    stopwordsPreset: 'none',
    indexTimestamps: false,
  }),
  // Its objects have no vectors: those are in the other collection, where they can go without the units.
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

/** Makes the collections that are not there yet; any number of processes may do so at once. */
export async function ensureCollections(client: WeaviateClient): Promise<void> {
  for (const definition of [unitDefinition, vectorDefinition]) {
    if (await client.collections.exists(definition.name)) continue
    await client.collections.create(definition as never).catch(async (error) => {
      // Another process was faster.
      if (!(await client.collections.exists(definition.name))) throw error
    })
  }
}

// weaviate-client 3.14 writes a stack to the console before each further try of its own, and offers no way to stop it. That
// Weaviate is unreachable gets its own log line.
const retryWarning = /^(Attempt|Healthcheck) \d+ failed\. Retrying in /

/** A `console.warn` that drops these warnings. */
export function withoutRetries(warn: (...said: unknown[]) => void): (...said: unknown[]) => void {
  return (...said) => {
    if (!retryWarning.test(String(said[1]))) warn(...said)
  }
}
console.warn = withoutRetries(console.warn)

export interface Connection {
  /**
   * Runs `work` and returns its result. Rejects with DomainError(unavailable) when Weaviate is unreachable, hangs or refuses,
   * and with MissingTenant when the project has no tenant. `work` may be run again and so must be idempotent.
   */
  use<Answer>(work: (client: WeaviateClient) => Promise<Answer>): Promise<Answer>
  close(): void
}

interface CallLimits {
  /** Seconds that one call may take. */
  timeout: number
  /** Milliseconds before each retry while Weaviate is unreachable; empty: fail at once. */
  pauses: number[]
}

/** The project has nothing in the collection. */
export class MissingTenant extends Error {}

/** Milliseconds that a server may take to say that it is ready again. */
const probeTime = 1_000

export function createConnection({ url, grpc, key }: WeaviateConfig, limits: CallLimits): Connection {
  let current: WeaviateClient | null = null
  let isClosed = false

  /**
   * A client is not reused after an outage: its gRPC channel would back off ever longer. No new
   * one is made before the server answers over HTTP.
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

  function leave(failed: WeaviateClient | null) {
    if (failed === null || failed !== current) return
    current = null
    // Calls of others may still be under way.
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
        // Weaviate has lost its data or was emptied: the index begins anew.
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
      leave(used)
      throw away(error)
    }
  }

  return {
    use: (work) =>
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
  // weaviate-client 3.14 asks for the version at each `collections.use` until it knows it, and nobody awaits that: where it
  // failed, the process would end of an unhandled rejection.
  await client.getWeaviateVersion()
  return client
}

const isAnswer = (error: unknown, words: string) => error instanceof Error && error.message.includes(words)

/** Trying again changes nothing: the key is missing or wrong. */
const isRefused = (error: unknown) =>
  error instanceof Error &&
  /status code: 40[13]|unauthenticated|permission_denied|unauthorized/i.test(error.message)

export const wrongDimension = (cause?: unknown) =>
  new DomainError('invalid', 'The index holds vectors of another dimension.', null, cause)

const away = (cause: unknown) =>
  new DomainError(
    'unavailable',
    'The search index does not answer.',
    null,
    isRefused(cause) ? new AccessRefused(cause) : cause,
    5,
  )
