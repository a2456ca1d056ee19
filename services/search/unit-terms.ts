// The terms of a unit by field, remembered while the index remembers the unit: as a reader types, the same ones return.
import { analyze } from '../index/analyze.ts'
import type { Hit } from '../index/search-index.ts'
import { namesOf } from '../index/units.ts'

export interface UnitTerms {
  title: string[]
  heading: string[]
  path: string[]
  body: string[]
}

const remembered = new WeakMap<Hit['unit'], UnitTerms>()

export function termsOfUnit(unit: Hit['unit']): UnitTerms {
  let terms = remembered.get(unit)
  if (terms === undefined) {
    terms = {
      title: split(unit.titleTerms),
      heading: analyze(namesOf(unit).join('\n')),
      path: analyze(unit.path.join('\n')),
      body: split(unit.bodyTerms),
    }
    remembered.set(unit, terms)
  }
  return terms
}

function split(terms: string): string[] {
  return terms === '' ? [] : terms.split(' ')
}
