// What is made of a unit once and kept while the index keeps the unit: as a reader types, the same ones return.
import type { Unit } from './search-index.ts'

/** `make`, called once for each unit. */
export function memoizeUnit<Made>(make: (unit: Unit) => Made): (unit: Unit) => Made {
  const kept = new WeakMap<Unit, Made>()
  return (unit) => {
    const known = kept.get(unit)
    if (known !== undefined) return known
    const made = make(unit)
    kept.set(unit, made)
    return made
  }
}
