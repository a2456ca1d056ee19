// The vectors of a project. Each model has its own tenant, so that vectors of different models are never compared and those of
// an old model are removed together. A vector has the object id of its unit.
import { createHash } from 'node:crypto'
import { isInLanguages } from '../../language.ts'
import type { Hit, Unembedded, UnitVector, VectorQuery } from '../search-index.ts'
import { type Connection, vectorCollection, wrongDimension } from './connection.ts'
import { facetNames, type KnownUnits, toObjectId, toUnit, toWanted, unitNames } from './stored-unit.ts'
import { createTenant, removeTenants, type Tenant, tenantNames } from './tenant.ts'

export function vectorTenant(connection: Connection, project: string, model: string): Tenant {
  const digest = createHash('sha256').update(model).digest('hex').slice(0, 24)
  return createTenant(connection, vectorCollection, `${project}_${digest}`)
}

/** The project's vector tenants, of all models. */
async function listNames(connection: Connection, project: string): Promise<string[]> {
  return (await tenantNames(connection, vectorCollection)).filter((name) => name.startsWith(`${project}_`))
}

export async function dropVectors(connection: Connection, project: string): Promise<void> {
  await removeTenants(connection, vectorCollection, await listNames(connection, project))
}

export async function keepVectors(connection: Connection, project: string, model: string): Promise<void> {
  const kept = vectorTenant(connection, project, model).name
  const others = (await listNames(connection, project)).filter((name) => name !== kept)
  await removeTenants(connection, vectorCollection, others)
}

export async function removeVectors(
  connection: Connection,
  project: string,
  pageVersions: string[],
): Promise<void> {
  for (const name of await listNames(connection, project)) {
    await createTenant(connection, vectorCollection, name).remove('pageVersion', pageVersions)
  }
}

export async function setVectors(
  connection: Connection,
  units: Tenant,
  model: string,
  given: UnitVector[],
): Promise<void> {
  if (given.length === 0) return
  const vectors = vectorTenant(connection, units.name, model)
  const byId = new Map(given.map(({ unit, vector }) => [toObjectId(unit), vector]))
  const ids = [...byId.keys()]
  for (const { id } of await vectors.get(ids)) byId.delete(id)
  const known = (await units.get([...byId.keys()], facetNames)).filter(({ id }) => byId.has(id))
  const dimension = (await vectors.dimension()) ?? byId.get(known[0]?.id ?? '')?.length
  if (known.some(({ id }) => byId.get(id)!.length !== dimension)) throw wrongDimension()
  await vectors.insert(known.map(({ id, properties }) => ({ id, properties, vector: byId.get(id)! })))

  // Another process may have removed units in the meantime.
  const left = new Set((await units.get(known.map(({ id }) => id))).map(({ id }) => id))
  await vectors.removeIds(known.map(({ id }) => id).filter((id) => !left.has(id)))
}

export async function findByVector(
  connection: Connection,
  tenant: Tenant,
  query: VectorQuery,
  known: KnownUnits,
): Promise<Hit[]> {
  const { model, vector, filter, among, limit } = query
  if (among?.length === 0) return []
  const vectors = vectorTenant(connection, tenant.name, model)
  const near = await vectors.findByVector(vector, toWanted(filter), among?.map(toObjectId) ?? null, limit)
  const scores = new Map(near.map(({ id, score }) => [id, score]))
  const units = await known.read(tenant, [...scores.keys()])
  return units.map((unit) => ({ unit, score: scores.get(toObjectId(unit.id))! }))
}

/**
 * Finds units without a vector. Walks the units' ids and looks them up among the vectors. Both collections are sorted by the
 * same ids. Remembers the id up to which all units have a vector, so that one walk serves many calls. `waiting` is the
 * difference of two counts.
 */
export function createUnembedded() {
  /** By vector tenant: the id up to which all units have a vector. */
  const places = new Map<string, string>()

  return async (
    units: Tenant,
    vectors: Tenant,
    limit: number,
    languages: string[] | null,
  ): Promise<Unembedded> => {
    const [all, embedded, foreign] = await Promise.all([
      units.count(),
      vectors.count(),
      languages === null ? 0 : countOthers(units, languages),
    ])
    const total = all - foreign
    const waiting = Math.max(0, total - embedded)
    if (waiting === 0 || limit === 0) return { all, total, waiting, units: [] }

    const start = places.get(vectors.name) ?? ''
    const ids: string[] = []
    let isComplete = true
    const collect = async (after: string, end: string | null) => {
      for await (const walked of units.walk(['language'], after)) {
        const some = walked.filter(({ properties }) => isInLanguages(properties.language ?? null, languages))
        const embeddedIds = new Set((await vectors.get(some.map(({ id }) => id))).map(({ id }) => id))
        const missing = some.map(({ id }) => id).filter((id) => !embeddedIds.has(id))
        isComplete &&= missing.length === 0
        const last = walked.at(-1)!.id
        if (isComplete) places.set(vectors.name, last)
        ids.push(...missing.slice(0, limit - ids.length))
        if (ids.length === limit || (end !== null && last >= end)) return
      }
      // All units were walked: the next call starts over.
      if (isComplete) places.delete(vectors.name)
    }
    await collect(start, null)
    // New units may have smaller ids.
    if (ids.length < limit && start !== '') await collect('', start)
    const found = await units.get(ids, unitNames)
    return { all, total, waiting, units: found.map(({ properties }) => toUnit(properties as never)) }
  }
}

async function countOthers(units: Tenant, languages: string[]): Promise<number> {
  const counts = await units.countBy('language')
  return counts.reduce((sum, { value, count }) => sum + (isInLanguages(value, languages) ? 0 : count), 0)
}
