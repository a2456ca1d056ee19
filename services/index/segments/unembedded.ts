// Which units have no vector yet: all that the segments hold, without the rows of the vector files.
import { isInLanguages } from '../../language.ts'
import type { Unembedded, Unit } from '../search-index.ts'
import { runKey, type Segment } from './segment.ts'
import type { VectorFile } from './vector-file.ts'

const rowsOf = new WeakMap<VectorFile, Map<string, Set<number>>>()

export function findUnembedded(
  segments: Segment[],
  files: VectorFile[],
  limit: number,
  languages: string[] | null,
): Unembedded {
  const units: Unit[] = []
  let total = 0
  let waiting = 0
  for (const segment of segments) {
    const isServed = segment.facetValues.language.map((tag) => isInLanguages(tag, languages))
    for (const { page, version, first, units: count } of segment.runs) {
      if (segment.gone?.[first]) continue
      const held = heldOf(files, runKey(page, version))
      for (let place = first; place < first + count; place++) {
        if (!isServed[segment.facets.language[place]!]) continue
        total++
        if (held.some((ordinals) => ordinals.has(segment.ordinals[place]!))) continue
        waiting++
        if (units.length < limit) units.push(segment.unit(place))
      }
    }
  }
  return { total, waiting, units }
}

/** The ordinals of a page version that have a vector, by file. */
export function heldOf(files: VectorFile[], key: string): Set<number>[] {
  return files.flatMap((file) => {
    let rows = rowsOf.get(file)
    if (rows === undefined) {
      rows = readRows(file)
      rowsOf.set(file, rows)
    }
    const ordinals = rows.get(key)
    return ordinals ? [ordinals] : []
  })
}

function readRows({ runs, ordinals }: VectorFile): Map<string, Set<number>> {
  const rows = new Map<string, Set<number>>()
  for (const { page, version, first, rows: count } of runs) {
    const key = runKey(page, version)
    const known = rows.get(key) ?? new Set()
    for (let row = first; row < first + count; row++) known.add(ordinals[row]!)
    rows.set(key, known)
  }
  return rows
}
