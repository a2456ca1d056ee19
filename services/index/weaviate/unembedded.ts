// Which units have no vector of a model: both collections keep their objects in the order of the same ids, so what waits is
// found by reading the units' ids and asking which of them the vectors have too.
import type { Unembedded } from '../search-index.ts'
import { toUnit, unitNames } from './stored-unit.ts'
import type { Tenant } from './tenant.ts'

/**
 * Remembers how far all units have vectors, so that one reading of the ids serves many calls. `waiting` is told from the two
 * counts.
 */
export function createUnembedded() {
  /** Vector tenant → id up to which every unit had a vector. */
  const places = new Map<string, string>()

  return async (units: Tenant, vectors: Tenant, limit: number): Promise<Unembedded> => {
    const [total, embedded] = await Promise.all([units.count(), vectors.count()])
    const waiting = Math.max(0, total - embedded)
    if (waiting === 0 || limit === 0) return { total, waiting, units: [] }

    const start = places.get(vectors.name) ?? ''
    const ids: string[] = []
    let isWhole = true
    const collect = async (after: string, end: string | null) => {
      for await (const some of units.walk([], after)) {
        const held = new Set((await vectors.get(some.map(({ id }) => id))).map(({ id }) => id))
        const missing = some.map(({ id }) => id).filter((id) => !held.has(id))
        isWhole &&= missing.length === 0
        if (isWhole) places.set(vectors.name, some.at(-1)!.id)
        ids.push(...missing.slice(0, limit - ids.length))
        if (ids.length === limit || (end !== null && some.at(-1)!.id >= end)) return
      }
      // The end of all units: the next reading begins anew.
      if (isWhole) places.delete(vectors.name)
    }
    await collect(start, null)
    // New units may stand before what was read.
    if (ids.length < limit && start !== '') await collect('', start)
    const found = await units.get(ids, unitNames)
    return { total, waiting, units: found.map(({ properties }) => toUnit(properties as never)) }
  }
}
