// The objects of a project in one collection, and the requests that the driver sends. A missing tenant counts as empty.
import { setTimeout as after } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import weaviate, { Filters, type FilterValue, type WeaviateClient } from 'weaviate-client'
import { DomainError } from '../../errors.ts'
import { type Connection, MissingTenant, wrongDimension } from './connection.ts'

/** Objects looked up in one request; Weaviate's own limit is 10,000. */
const maxObjects = 1_000
/** Objects read in one request as all are read. */
const pageSize = 500

type Properties = Record<string, string>
/** Names of properties and the values of which one is wanted. */
export type Wanted = [string, string[]][]

export interface FoundObject {
  id: string
  properties: Properties
  /** Of those found by a vector. */
  score: number
}

export function createTenant(connection: Connection, collection: string, name: string) {
  const read = <Answer>(missing: Answer, work: (objects: Objects) => Promise<Answer>): Promise<Answer> =>
    connection.use((client) => work(getObjects(client, collection, name))).catch(missingIs(missing))

  const fetch = (options: FetchOptions): Promise<FoundObject[]> =>
    read([], async ({ query }) => (await query.fetchObjects(options)).objects.map(toFound))

  const removeSome = (filter: FilterValue) =>
    read(0, async ({ data }) => (await data.deleteMany(filter)).matches)

  return {
    name,

    /** Objects by their ids, in any order; missing ones are left out. */
    async get(ids: string[], properties: readonly string[] = []): Promise<FoundObject[]> {
      const found: FoundObject[] = []
      for (let at = 0; at < ids.length; at += maxObjects) {
        const some = ids.slice(at, at + maxObjects)
        const filters = weaviate.filter.byId().containsAny(some)
        found.push(...(await fetch({ filters, limit: some.length, returnProperties: [...properties] })))
      }
      return found
    },

    /** All objects in the order of their ids, some at a time, from after one of them on. */
    async *walk(properties: readonly string[] = [], after = ''): AsyncGenerator<FoundObject[]> {
      const readAfter = (id: string) =>
        fetch({ limit: pageSize, after: id, returnProperties: [...properties] })
      let next = readAfter(after)
      for (let found = await next; found.length > 0; found = await next) {
        // The next ones are read while the caller works on these; it may stop.
        next = readAfter(found.at(-1)!.id)
        next.catch(() => {})
        yield found
      }
    },

    count(): Promise<number> {
      return read(0, async ({ aggregate }) => (await aggregate.overAll()).totalCount)
    },

    /** Objects by their value of a property; those without one are left out. */
    countBy(property: string): Promise<{ value: string; count: number }[]> {
      return read([], async ({ aggregate }) => {
        const groups = await aggregate.groupBy.overAll({ groupBy: { property, limit: maxObjects } })
        return groups.map(({ groupedBy, totalCount }) => ({
          value: String(groupedBy.value),
          count: totalCount,
        }))
      })
    },

    /** Ids, best first by the terms in one property. */
    findByTerms(property: string, terms: string[], wanted: Wanted, limit: number): Promise<FoundObject[]> {
      const options = { queryProperties: [property], limit, returnProperties: [], ...toFilters(wanted) }
      return read([], async ({ query }) => (await query.bm25(terms.join(' '), options)).objects.map(toFound))
    },

    /** Ids, nearest first; `among`: only these ids. Scores are cosines. */
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

    /** Numbers in a vector of the tenant; null while it has none. */
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
        // One request takes out no more than Weaviate's limit of 10,000.
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

/** Remembered: making one takes weaviate-client as long as a small request. */
function getObjects(client: WeaviateClient, collection: string, name: string): Objects {
  const known = handles.get(client) ?? new LRUCache<string, Objects>({ max: 1_000 })
  handles.set(client, known)
  const key = `${collection} ${name}`
  const objects = known.get(key) ?? useObjects(client, collection, name)
  known.set(key, objects)
  return objects
}

/** Names of the collection's tenants. */
export function tenantNames(connection: Connection, collection: string): Promise<string[]> {
  return connection.use(async (client) => Object.keys(await client.collections.use(collection).tenants.get()))
}

/** Removes tenants with all their objects. Missing ones are no error. */
export async function removeTenants(connection: Connection, collection: string, names: string[]) {
  if (names.length > 0)
    await connection.use((client) => client.collections.use(collection).tenants.remove(names))
}

const missingIs =
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

interface Answered {
  uuid: string
  properties: Record<string, unknown>
  metadata?: { distance?: number } | undefined
}

function toFound({ uuid, properties, metadata }: Answered): FoundObject {
  return { id: uuid, properties: properties as Properties, score: 1 - (metadata?.distance ?? 1) }
}

export interface NewObject {
  id: string
  properties: Record<string, string>
  vector?: Float32Array
}

const insertBatchSize = 200
/** Milliseconds before each retry of the objects that were not taken. */
const pauses = [100, 500, 2_000]

/**
 * Writes objects in batches. Weaviate takes a batch in part: it says which objects it did not take, and those are written
 * again. Rejects with DomainError(unavailable) when some objects are not taken however often they are written.
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
