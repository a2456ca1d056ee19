// Which units have no vector of a model: both collections keep their objects in the order of the same ids, so what waits is
// found by reading the units' ids and asking which of them the vectors have too.
import { isInLanguages } from '../../language.ts'
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
    if (waiting === 0 || limit === 0) return { total, waiting, units: [] }

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
    // New units may stand before what was read.
    if (ids.length < limit && start !== '') await collect('', start)
    const found = await units.get(ids, unitNames)
    return { total, waiting, units: found.map(({ properties }) => toUnit(properties as never)) }
  }
}

async function countOthers(units: Tenant, languages: string[]): Promise<number> {
  const counts = await units.countBy('language')
  return counts.reduce((sum, { value, count }) => sum + (isInLanguages(value, languages) ? 0 : count), 0)
}
