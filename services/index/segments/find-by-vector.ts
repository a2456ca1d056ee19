// Finds units by the angle between vectors, comparing with all of them: exact, and linear in the units with a vector.
import { DomainError } from '../../errors.ts'
import type { VectorQuery } from '../search-index.ts'
import { toPasses } from './find-by-terms.ts'
import type { Segment } from './segment.ts'
import { createTop, type Place } from './top.ts'

const loaded = new WeakMap<Segment, Float32Array>()

/** DomainError(invalid) when the query has another dimension than the index. */
export function findByVector(segments: Segment[], { vector, filter, limit }: VectorQuery): Place[] {
  const top = createTop(limit)
  const length = Math.hypot(...vector) || 1
  for (const segment of segments) {
    const { dimension } = segment
    if (dimension === 0) continue
    checkDimension(vector, dimension)
    const passes = toPasses(segment, filter)
    if (passes === null) continue
    const vectors = loaded.get(segment) ?? segment.vectors()
    loaded.set(segment, vectors)
    for (const [at, place] of segment.vectorUnits.entries()) {
      let product = 0
      const offset = at * dimension
      for (let axis = 0; axis < dimension; axis++) product += vectors[offset + axis]! * vector[axis]!
      // From 0 to 2, so that the opposite direction still counts as found.
      const score = 1 + product / length
      if (score > top.least() && !segment.gone?.[place] && passes(place)) top.add({ segment, place, score })
    }
  }
  return top.best()
}

export function checkDimension(vector: Float32Array, dimension: number): void {
  if (vector.length === dimension) return
  const sentence = `The index holds vectors of ${dimension} numbers, not of ${vector.length}.`
  throw new DomainError('invalid', sentence)
}
