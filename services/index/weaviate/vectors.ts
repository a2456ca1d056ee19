// The vectors of a project: a tenant for each model, named by project and model, so that vectors of two models never meet and
// those of an old model go as a whole. All units' vectors lie under the units' own object ids.
import { createHash } from 'node:crypto'
import type { Hit, UnitVector, VectorQuery } from '../search-index.ts'
import { vectorCollection } from './collections.ts'
import { type Connection, wrongDimension } from './connection.ts'
import type { KnownUnits } from './known-units.ts'
import { facetNames, toObjectId, toWanted } from './stored-unit.ts'
import { createTenant, removeTenants, type Tenant, tenantNames } from './tenant.ts'

export function vectorTenant(connection: Connection, project: string, model: string): Tenant {
  const digest = createHash('sha256').update(model).digest('hex').slice(0, 24)
  return createTenant(connection, vectorCollection, `${project}_${digest}`)
}

/** Tenants with vectors of the project, of any model. */
async function namesOf(connection: Connection, project: string): Promise<string[]> {
  return (await tenantNames(connection, vectorCollection)).filter((name) => name.startsWith(`${project}_`))
}

export async function dropVectors(connection: Connection, project: string): Promise<void> {
  await removeTenants(connection, vectorCollection, await namesOf(connection, project))
}

/** Takes out the vectors of these page versions. */
export async function removeVectors(
  connection: Connection,
  project: string,
  pageVersions: string[],
): Promise<void> {
  for (const name of await namesOf(connection, project)) {
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
  const others = (await namesOf(connection, units.name)).filter((name) => name !== vectors.name)
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
  const units = await known.of(
    tenant,
    near.map(({ id }) => id),
  )
  return near.flatMap(({ id, score }) => {
    const unit = units.get(id)
    return unit ? [{ unit, score }] : []
  })
}
