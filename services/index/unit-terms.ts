// The terms of a unit by field, as numbers.
import { analyzeJoined } from './analyze.ts'
import type { Unit } from './search-index.ts'
import { hashTerms } from './term-hash.ts'
import { namesOf } from './units.ts'

/** Each as hashTerm has them, in their order, repeated as often as they stand there. */
interface UnitTerms {
  /** The page's title and keywords. */
  title: Int32Array
  /** What the section is called. */
  heading: Int32Array
  /** The headings above it. */
  path: Int32Array
  /** Both, as they are indexed. */
  headings: Int32Array
  body: Int32Array
}

export const termsOfUnit = memoizeUnit(
  (unit): UnitTerms => ({
    title: hashTerms(unit.titleTerms),
    heading: hashTerms(analyzeJoined(namesOf(unit).join('\n'))),
    path: hashTerms(analyzeJoined(unit.path.join('\n'))),
    headings: hashTerms(unit.headingTerms),
    body: hashTerms(unit.bodyTerms),
  }),
)

/**
 * What is made of a unit once and kept while the index keeps the unit: as a reader types, the same ones return. `make` is
 * called once for each.
 */
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
