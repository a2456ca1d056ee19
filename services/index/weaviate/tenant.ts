// What a project has in one collection, and the few requests that the driver is made of. A tenant that is missing is empty.
import weaviate, { Filters, type FilterValue, type WeaviateClient } from 'weaviate-client'
import { type Connection, MissingTenant } from './connection.ts'
import { insertAll, type NewObject } from './insert.ts'

/** Objects read or looked up in one request; Weaviate's own limit is 10,000. */
const maxAtOnce = 1_000
const walkedAtOnce = 500

type Properties = Record<string, string>
/** Names of properties and the values of which one is wanted. */
export type Wanted = [string, string[]][]

export interface Found {
  id: string
  properties: Properties
  /** Of those found by a vector. */
  score: number
}

export function createTenant(connection: Connection, collection: string, name: string) {
  const read = <Answer>(missing: Answer, work: (objects: Objects) => Promise<Answer>): Promise<Answer> =>
    connection.use((client) => work(objectsOf(client, collection, name))).catch(missingIs(missing))

  /** Objects whose ids come after one, in the order of ids; '' for the first. */
  const some = (limit: number, after: string, properties: readonly string[]): Promise<Found[]> => {
    const options = { limit, after, returnProperties: [...properties] }
    return read([], async ({ query }) => (await query.fetchObjects(options)).objects.map(toFound))
  }

  const removeSome = (filter: FilterValue) =>
    read(0, async ({ data }) => (await data.deleteMany(filter)).matches)

  return {
    name,

    /** Objects by their ids, in any order; those that are not there are left out. */
    async get(ids: string[], properties: readonly string[] = []): Promise<Found[]> {
      const found: Found[] = []
      for (let at = 0; at < ids.length; at += maxAtOnce) {
        const some = ids.slice(at, at + maxAtOnce)
        const filters = weaviate.filter.byId().containsAny(some)
        const options = { filters, limit: some.length, returnProperties: [...properties] }
        found.push(
          ...(await read([], async ({ query }) => (await query.fetchObjects(options)).objects.map(toFound))),
        )
      }
      return found
    },

    some,

    /** All objects in the order of their ids, some at a time, from after one of them on. */
    async *walk(properties: readonly string[] = [], after = ''): AsyncGenerator<Found[]> {
      let next = some(walkedAtOnce, after, properties)
      for (;;) {
        const found = await next
        if (found.length === 0) return
        // The next ones come while these are worked on; who works on them may stop.
        next = some(walkedAtOnce, found.at(-1)!.id, properties)
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
        const groups = await aggregate.groupBy.overAll({ groupBy: { property, limit: maxAtOnce } })
        return groups.map(({ groupedBy, totalCount }) => ({
          value: String(groupedBy.value),
          count: totalCount,
        }))
      })
    },

    /** Ids, best first by the terms in one property. */
    findByTerms(property: string, terms: string[], wanted: Wanted, limit: number): Promise<Found[]> {
      const options = {
        queryProperties: [property],
        limit,
        returnProperties: [],
        ...toFilters(wanted),
      }
      return read([], async ({ query }) => (await query.bm25(terms.join(' '), options)).objects.map(toFound))
    },

    /** Ids, nearest first; `among`: only these ids. Scores are cosines. */
    findByVector(
      vector: Float32Array,
      wanted: Wanted,
      among: string[] | null,
      limit: number,
    ): Promise<Found[]> {
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

    /** Adds objects, those that are there too being written again. Makes the tenant when it is missing. */
    insert: (objects: NewObject[]) => insertAll(connection, collection, name, objects),

    /** Takes out what has one of the values. */
    async remove(property: string, values: string[]): Promise<void> {
      for (let at = 0; at < values.length; at += maxAtOnce) {
        const some = values.slice(at, at + maxAtOnce)
        // One request takes out no more than Weaviate's limit of 10,000.
        while ((await removeSome(toFilters([[property, some]]).filters!)) > 0);
      }
    },

    async removeIds(ids: string[]): Promise<void> {
      for (let at = 0; at < ids.length; at += maxAtOnce) {
        await removeSome(weaviate.filter.byId().containsAny(ids.slice(at, at + maxAtOnce)))
      }
    },
  }
}

export type Tenant = ReturnType<typeof createTenant>

const useObjects = (client: WeaviateClient, collection: string, name: string) =>
  client.collections.use(collection).withTenant(name)
type Objects = ReturnType<typeof useObjects>

const maxHandles = 1_000
const handles = new WeakMap<WeaviateClient, Map<string, Objects>>()

/** Remembered: making one takes weaviate-client as long as a small request. */
function objectsOf(client: WeaviateClient, collection: string, name: string): Objects {
  const known = handles.get(client) ?? new Map<string, Objects>()
  handles.set(client, known)
  const key = `${collection} ${name}`
  const objects = known.get(key) ?? useObjects(client, collection, name)
  if (known.size >= maxHandles) known.clear()
  known.set(key, objects)
  return objects
}

/** Names of the collection's tenants. */
export function tenantNames(connection: Connection, collection: string): Promise<string[]> {
  return connection.use(async (client) => Object.keys(await client.collections.use(collection).tenants.get()))
}

/** Takes tenants away with all that they hold. Missing ones are no error. */
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

function toFound({ uuid, properties, metadata }: Answered): Found {
  return { id: uuid, properties: properties as Properties, score: 1 - (metadata?.distance ?? 1) }
}
