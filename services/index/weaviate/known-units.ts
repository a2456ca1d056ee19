// Units that were read lately: a unit never changes, so Weaviate is asked for those alone that are not known yet. As a reader types,
// the same ones are met again, and what ranking remembers of a unit stays with it.
import type { Unit } from '../search-index.ts'
import { type StoredUnit, toUnit, unitNames } from './stored-unit.ts'
import type { Tenant } from './tenant.ts'

/** Some 5 KB each. */
const maxKnown = 8_000

export function createKnownUnits() {
  /** By object id, which no two projects share: see toObjectId. */
  const known = new Map<string, Unit>()

  return {
    /** Units by their object ids; those that are not there are left out. Shared: not to be changed. */
    async of(tenant: Tenant, ids: string[]): Promise<Map<string, Unit>> {
      const units = new Map<string, Unit>()
      const missing = ids.filter((id) => {
        const unit = known.get(id)
        if (unit) units.set(id, unit)
        return !unit
      })
      if (missing.length === 0) return units
      if (known.size + missing.length > maxKnown) known.clear()
      for (const { id, properties } of await tenant.get(missing, unitNames)) {
        const unit = toUnit(properties as unknown as StoredUnit)
        known.set(id, unit)
        units.set(id, unit)
      }
      return units
    },

    forget: () => known.clear(),
  }
}

export type KnownUnits = ReturnType<typeof createKnownUnits>
