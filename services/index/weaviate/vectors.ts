// The vectors of a project. Each model has a tenant of its own, so that vectors of two models are never compared and those of an
// old model are removed together. A vector has the object id of its unit.
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

/** Tenants with vectors of the project, of any model. */
async function listNames(connection: Connection, project: string): Promise<string[]> {
  return (await tenantNames(connection, vectorCollection)).filter((name) => name.startsWith(`${project}_`))
}

export async function dropVectors(connection: Connection, project: string): Promise<void> {
  await removeTenants(connection, vectorCollection, await listNames(connection, project))
}

/** Removes the vectors of these page versions. */
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
  const vectors = vectorTenant(connection, units.name, model)
  const others = (await listNames(connection, units.name)).filter((name) => name !== vectors.name)
  await removeTenants(connection, vectorCollection, others)
  if (given.length === 0) return

  const byId = new Map(given.map(({ unit, vector }) => [toObjectId(unit), vector]))
  const ids = [...byId.keys()]
  for (const { id } of await vectors.get(ids)) byId.delete(id)
  const known = (await units.get([...byId.keys()], facetNames)).filter(({ id }) => byId.has(id))
  const dimension = (await vectors.dimension()) ?? byId.get(known[0]?.id ?? '')?.length
  if (known.some(({ id }) => byId.get(id)!.length !== dimension)) throw wrongDimension()
  await vectors.insert(known.map(({ id, properties }) => ({ id, properties, vector: byId.get(id)! })))

  // Units may have been removed meanwhile, by another process too.
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
 * Finds units without a vector. Both collections keep their objects in the order of the same ids, so the units' ids are read,
 * and those looked up among the vectors. Remembers up to which id all units have one, so that one reading of the ids
 * serves many calls. `waiting` is the difference of two counts.
 */
export function createUnembedded() {
  /** Vector tenant → id up to which every unit had a vector. */
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
    let isWhole = true
    const collect = async (after: string, end: string | null) => {
      for await (const walked of units.walk(['language'], after)) {
        const some = walked.filter(({ properties }) => isInLanguages(properties.language ?? null, languages))
        const held = new Set((await vectors.get(some.map(({ id }) => id))).map(({ id }) => id))
        const missing = some.map(({ id }) => id).filter((id) => !held.has(id))
        isWhole &&= missing.length === 0
        const last = walked.at(-1)!.id
        if (isWhole) places.set(vectors.name, last)
        ids.push(...missing.slice(0, limit - ids.length))
        if (ids.length === limit || (end !== null && last >= end)) return
      }
      // The end of all units: the next reading begins anew.
      if (isWhole) places.delete(vectors.name)
    }
    await collect(start, null)
    // New units may come before the ones that were read.
    if (ids.length < limit && start !== '') await collect('', start)
    const found = await units.get(ids, unitNames)
    return { all, total, waiting, units: found.map(({ properties }) => toUnit(properties as never)) }
  }
}

async function countOthers(units: Tenant, languages: string[]): Promise<number> {
  const counts = await units.countBy('language')
  return counts.reduce((sum, { value, count }) => sum + (isInLanguages(value, languages) ? 0 : count), 0)
}
