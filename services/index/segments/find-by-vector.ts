// Finds units by the angle between vectors, comparing with all of them: linear in the units that have one. A first pass
// over bytes picks more than are asked for; the vectors proper of these are then read and compared.
//
//   limit 1 · codes say a .81, b .80, c .42 · picked a, b, c · vectors say b .804, a .803, c .42 · answered b
import { DomainError } from '../../errors.ts'
import type { VectorQuery } from '../search-index.ts'
import { paddedTo } from './dot-products.ts'
import { toPasses } from './find-by-terms.ts'
import { runKey, type Segment } from './segment.ts'
import { createTop, type Place } from './top.ts'
import type { UnitPlaces } from './unit-places.ts'
import { toCodes, type VectorFile } from './vector-file.ts'

/** So many are compared by their vectors proper, for bytes are off by some thousandths. */
const toPicked = (limit: number) => Math.max(100, 4 * limit)

interface Row {
  file: VectorFile
  row: number
}

/** Scores are cosines. DomainError(invalid) when the query has another dimension than the vectors. */
export function findByVector(files: VectorFile[], places: UnitPlaces, query: VectorQuery): Place[] {
  const wanted = toUnitLength(query.vector)
  for (const { dimension } of files) checkDimension(wanted, dimension)
  const placeOf = createPlaceReader(places, query)
  const rows = query.among
    ? rowsOf(files, query.among)
    : nearest(files, wanted, toPicked(query.limit), placeOf)
  const found = rows.flatMap(({ file, row }): Place[] => {
    const at = placeOf(file, row)
    return at ? [{ ...at, score: product(file.vector(row), wanted) }] : []
  })
  return found.sort((a, b) => b.score - a.score || a.place - b.place).slice(0, query.limit)
}

export function checkDimension(vector: Float32Array, dimension: number): void {
  if (vector.length === dimension) return
  const sentence = `The index holds vectors of ${dimension} numbers, not of ${vector.length}.`
  throw new DomainError('invalid', sentence)
}

export function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

type PlaceReader = (file: VectorFile, row: number) => Omit<Place, 'score'> | null

/** Where the unit of a row stands, if it is still there and the filter lets it pass. */
function createPlaceReader(places: UnitPlaces, { filter }: VectorQuery): PlaceReader {
  const passes = new Map<Segment, ReturnType<typeof toPasses>>()
  return (file, row) => {
    const { page, version } = runAt(file, row)
    const at = places.of(page, version, file.ordinals[row]!)
    if (at === null) return null
    if (!passes.has(at.segment)) passes.set(at.segment, toPasses(at.segment, filter))
    return passes.get(at.segment)?.(at.place) ? at : null
  }
}

function runAt({ runs }: VectorFile, row: number) {
  let low = 0
  let high = runs.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (runs[middle]!.first <= row) low = middle
    else high = middle - 1
  }
  return runs[low]!
}

function nearest(files: VectorFile[], wanted: Float32Array, limit: number, placeOf: PlaceReader): Row[] {
  const top = createTop<Place & Row>(limit)
  let least = 0
  for (const file of files) {
    const { products, scales } = file.codes()
    const codes = new Int8Array(paddedTo(file.dimension))
    const scale = toCodes(wanted, codes)
    const found = products(codes)
    for (let row = 0; row < file.rows; row++) {
      // From 0 to 2, so that the opposite direction is found too.
      const score = 1 + found[row]! * scale * scales[row]!
      if (score <= least) continue
      // Few rows come this far, so only these are looked up.
      const at = placeOf(file, row)
      if (at) top.add({ ...at, score, file, row })
      least = top.least()
    }
  }
  return top.best()
}

/** Rows of these units, in any order. */
function rowsOf(files: VectorFile[], ids: string[]): Row[] {
  const wanted = new Map<string, Set<number>>()
  for (const id of ids) {
    const end = id.lastIndexOf(':')
    const key = id.slice(0, end)
    wanted.set(key, (wanted.get(key) ?? new Set()).add(Number(id.slice(end + 1))))
  }
  return files.flatMap((file) =>
    file.runs.flatMap(({ page, version, first, rows }) => {
      const ordinals = wanted.get(runKey(page, version))
      if (!ordinals) return []
      return Array.from({ length: rows }, (_, at) => ({ file, row: first + at })).filter(({ row }) =>
        ordinals.has(file.ordinals[row]!),
      )
    }),
  )
}

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let axis = 0; axis < one.length; axis++) sum += one[axis]! * other[axis]!
  return sum
}
