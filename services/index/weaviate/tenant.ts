// A project's objects in one collection, and the requests of the driver. A missing tenant is treated as empty.
import { setTimeout as after } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import weaviate, { Filters, type FilterValue, type WeaviateClient } from 'weaviate-client'
import { DomainError } from '../../errors.ts'
import { type Connection, MissingTenant, wrongDimension } from './connection.ts'

/** Maximum objects per lookup. Weaviate's limit is 10,000. */
const maxObjects = 1_000
/** Objects per request of `walk`. */
const pageSize = 500

type Properties = Record<string, string>
/** Properties and their accepted values. */
export type Wanted = [string, string[]][]

export interface FoundObject {
  id: string
  properties: Properties
  /** Cosine, if found by vector. */
  score: number
}

export function createTenant(connection: Connection, collection: string, name: string) {
  const read = <Answer>(missing: Answer, work: (objects: Objects) => Promise<Answer>): Promise<Answer> =>
    connection.use((client) => work(getObjects(client, collection, name))).catch(ifMissing(missing))

  const fetch = (options: FetchOptions): Promise<FoundObject[]> =>
    read([], async ({ query }) => (await query.fetchObjects(options)).objects.map(toFound))

  const removeSome = (filter: FilterValue) =>
    read(0, async ({ data }) => (await data.deleteMany(filter)).matches)

  return {
    name,

    /** Returns objects by id, in any order. Skips missing ones. */
    async get(ids: string[], properties: readonly string[] = []): Promise<FoundObject[]> {
      const found: FoundObject[] = []
      for (let at = 0; at < ids.length; at += maxObjects) {
        const some = ids.slice(at, at + maxObjects)
        const filters = weaviate.filter.byId().containsAny(some)
        found.push(...(await fetch({ filters, limit: some.length, returnProperties: [...properties] })))
      }
      return found
    },

    /** Yields batches of all objects after the id `after`, in the order of ids. */
    async *walk(properties: readonly string[] = [], after = ''): AsyncGenerator<FoundObject[]> {
      const readAfter = (id: string) =>
        fetch({ limit: pageSize, after: id, returnProperties: [...properties] })
      let next = readAfter(after)
      for (let found = await next; found.length > 0; found = await next) {
        // Prefetches the next batch. The caller may stop, so its error must not go unhandled.
        next = readAfter(found.at(-1)!.id)
        next.catch(() => {})
        yield found
      }
    },

    count(): Promise<number> {
      return read(0, async ({ aggregate }) => (await aggregate.overAll()).totalCount)
    },

    /** Counts objects by the value of a property. Skips objects without it. */
    countBy(property: string): Promise<{ value: string; count: number }[]> {
      return read([], async ({ aggregate }) => {
        const groups = await aggregate.groupBy.overAll({ groupBy: { property, limit: maxObjects } })
        return groups.map(({ groupedBy, totalCount }) => ({
          value: String(groupedBy.value),
          count: totalCount,
        }))
      })
    },

    /** Finds ids by terms in one property, best first. */
    findByTerms(property: string, terms: string[], wanted: Wanted, limit: number): Promise<FoundObject[]> {
      const options = { queryProperties: [property], limit, returnProperties: [], ...toFilters(wanted) }
      return read([], async ({ query }) => (await query.bm25(terms.join(' '), options)).objects.map(toFound))
    },

    /** Finds ids by vector, nearest first. `among`: only these ids. Scores are cosines. */
    findByVector(
      vector: Float32Array,
      wanted: Wanted,
      among: string[] | null,
      limit: number,
    ): Promise<FoundObject[]> {
      const options = {
        limit,
        returnProperties: [],
        returnMetadata: ['distance' as const],
        ...toFilters(wanted, among),
      }
      return read([], async ({ query }) =>
        (await query.nearVector([...vector], options)).objects.map(toFound),
      )
    },

    /** Dimension of the tenant's vectors; null if it has none. */
    dimension(): Promise<number | null> {
      return read(null, async ({ query }) => {
        const { objects } = await query.fetchObjects({ limit: 1, includeVector: true, returnProperties: [] })
        return objects[0]?.vectors.default?.length ?? null
      })
    },

    /** Adds or replaces objects. Creates a missing tenant. */
    insert: (objects: NewObject[]) => insertAll(connection, collection, name, objects),

    /** Removes objects with one of the values. */
    async remove(property: string, values: string[]): Promise<void> {
      for (let at = 0; at < values.length; at += maxObjects) {
        const some = values.slice(at, at + maxObjects)
        // A request removes at most 10,000 objects, Weaviate's limit.
        while ((await removeSome(toFilters([[property, some]]).filters!)) > 0);
      }
    },

    async removeIds(ids: string[]): Promise<void> {
      if (ids.length > 0) await removeSome(weaviate.filter.byId().containsAny(ids))
    },
  }
}

export type Tenant = ReturnType<typeof createTenant>

const useObjects = (client: WeaviateClient, collection: string, name: string) =>
  client.collections.use(collection).withTenant(name)
type Objects = ReturnType<typeof useObjects>

type FetchOptions = Parameters<Objects['query']['fetchObjects']>[0]

const handles = new WeakMap<WeaviateClient, LRUCache<string, Objects>>()

/** Cached: creating a handle takes weaviate-client as long as a small request. */
function getObjects(client: WeaviateClient, collection: string, name: string): Objects {
  const known = handles.get(client) ?? new LRUCache<string, Objects>({ max: 1_000 })
  handles.set(client, known)
  const key = `${collection} ${name}`
  const objects = known.get(key) ?? useObjects(client, collection, name)
  known.set(key, objects)
  return objects
}

export function tenantNames(connection: Connection, collection: string): Promise<string[]> {
  return connection.use(async (client) => Object.keys(await client.collections.use(collection).tenants.get()))
}

/** Removes tenants with all their objects. Ignores missing ones. */
export async function removeTenants(connection: Connection, collection: string, names: string[]) {
  if (names.length > 0)
    await connection.use((client) => client.collections.use(collection).tenants.remove(names))
}

const ifMissing =
  <Answer>(answer: Answer) =>
  (error: unknown): Answer => {
    if (error instanceof MissingTenant) return answer
    throw error
  }

function toFilters(wanted: Wanted, among: string[] | null = null): { filters?: FilterValue } {
  const filters: FilterValue[] = wanted.map(([property, values]) =>
    weaviate.filter.byProperty(property as never).containsAny(values as never),
  )
  if (among) filters.push(weaviate.filter.byId().containsAny(among))
  if (filters.length === 0) return {}
  return { filters: filters.length === 1 ? filters[0]! : Filters.and(...filters) }
}

interface ResponseObject {
  uuid: string
  properties: Record<string, unknown>
  metadata?: { distance?: number } | undefined
}

function toFound({ uuid, properties, metadata }: ResponseObject): FoundObject {
  return { id: uuid, properties: properties as Properties, score: 1 - (metadata?.distance ?? 1) }
}

export interface NewObject {
  id: string
  properties: Record<string, string>
  vector?: Float32Array
}

const insertBatchSize = 200
/** Milliseconds before each retry of rejected objects. */
const pauses = [100, 500, 2_000]

/**
 * Writes objects in batches. Weaviate may accept a part of a batch and report the rejected objects, which are retried.
 * Rejects with DomainError(unavailable) if objects are still rejected after the last retry.
 */
export async function insertAll(
  connection: Connection,
  collection: string,
  tenant: string,
  objects: NewObject[],
): Promise<void> {
  for (let at = 0; at < objects.length; at += insertBatchSize) {
    await insertBatch(connection, collection, tenant, objects.slice(at, at + insertBatchSize))
  }
}

async function insertBatch(connection: Connection, collection: string, tenant: string, batch: NewObject[]) {
  let left = batch
  for (let retries = 0; ; retries++) {
    const written = left.map(({ id, properties, vector }) => ({
      id,
      properties,
      ...(vector && { vectors: [...vector] }),
    }))
    const { errors } = await connection.use((client) =>
      client.collections.use(collection).withTenant(tenant).data.insertMany(written),
    )
    const failed = Object.entries(errors)
    if (failed.length === 0) return
    const why = failed.map(([, { message }]) => message)
    if (why.some((message) => /vectors? (?:lengths|with length)/.test(message))) throw wrongDimension(why[0])
    const pause = pauses[retries]
    if (pause === undefined) {
      const sentence = `The search index did not take ${failed.length} of ${batch.length} sections.`
      throw new DomainError('unavailable', sentence, null, new Error([...new Set(why)].join('; ')))
    }
    left = failed.map(([place]) => left[Number(place)]!)
    await after(pause)
  }
}
