// Tables of a segment that building and merging make alike.
import type { Unit } from '../search-index.ts'
import { type Facet, facetNames } from './segment-file.ts'

/** Columns of small numbers for the values that filters ask for. */
export function createFacets(units: number) {
  const values: Record<Facet, (string | null)[]> = { docVersion: [], language: [], sourceType: [] }
  const known = { docVersion: new Map(), language: new Map(), sourceType: new Map() }
  const places = {
    docVersion: new Uint16Array(units),
    language: new Uint16Array(units),
    sourceType: new Uint16Array(units),
  }
  return {
    values,
    places,
    set(unit: number, of: Pick<Unit, Facet>) {
      for (const facet of facetNames) {
        const value = of[facet]
        let place = known[facet].get(value)
        if (place === undefined) {
          place = values[facet].length
          known[facet].set(value, place)
          values[facet].push(value)
        }
        places[facet][unit] = place
      }
    },
  }
}

/** Terms, sorted, as one run of bytes. */
export function packTerms(terms: string[]): { termBytes: Buffer; termOffsets: Uint32Array } {
  const termOffsets = new Uint32Array(terms.length + 1)
  for (const [at, term] of terms.entries()) termOffsets[at + 1] = termOffsets[at]! + Buffer.byteLength(term)
  return { termBytes: Buffer.from(terms.join('')), termOffsets }
}
