// The terms of a unit as 32-bit hashes, so that query terms are matched by comparing numbers. Two terms collide with a
// probability of 1 in 4,000 million, which makes a count too high by one.
import { analyzeJoined } from './analyze.ts'
import type { Unit } from './search-index.ts'
import { listNames } from './units.ts'

/** Hashes of terms, in order, with repetitions. */
interface UnitTerms {
  /** The page's title and keywords. */
  title: Int32Array
  /** The names of the section. */
  heading: Int32Array
  /** The headings above it. */
  path: Int32Array
  /** Heading and path, as indexed. */
  headings: Int32Array
  body: Int32Array
}

export const termsOfUnit = memoizeUnit(
  (unit): UnitTerms => ({
    title: hashTerms(unit.titleTerms),
    heading: hashTerms(analyzeJoined(listNames(unit).join('\n'))),
    path: hashTerms(analyzeJoined(unit.path.join('\n'))),
    headings: hashTerms(unit.headingTerms),
    body: hashTerms(unit.bodyTerms),
  }),
)

/**
 * Caches the result of `make` as long as the index caches the unit: while a reader types, searches find the same units.
 */
export function memoizeUnit<Result>(make: (unit: Unit) => Result): (unit: Unit) => Result {
  const cache = new WeakMap<Unit, Result>()
  return (unit) => {
    const cached = cache.get(unit)
    if (cached !== undefined) return cached
    const result = make(unit)
    cache.set(unit, result)
    return result
  }
}

const space = 32
const offsetBasis = 0x811c9dc5 | 0
const prime = 0x01000193

/** FNV-1a, 32 bits (Fowler, Noll and Vo, 1991), over UTF-16 units instead of bytes, signed. */
export function hashTerm(term: string): number {
  let hash = offsetBasis
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), prime)
  return hash
}

/** Hashes each term, in order. `terms`: joined by single spaces, as in a unit. */
export function hashTerms(terms: string): Int32Array {
  if (terms === '') return new Int32Array()
  const hashes: number[] = []
  let hash = offsetBasis
  for (let at = 0; at < terms.length; at++) {
    const code = terms.charCodeAt(at)
    if (code === space) {
      hashes.push(hash)
      hash = offsetBasis
    } else hash = Math.imul(hash ^ code, prime)
  }
  hashes.push(hash)
  return new Int32Array(hashes)
}

/** Values by the hashes of terms. */
export type TermTable<Value> = ReturnType<typeof createTermTable<Value>>

const lowBits = 0x3ff

/** A one-byte filter on the low bits of the hash excludes most terms without a value. */
export function createTermTable<Value>(entries: Iterable<readonly [string, Value]>) {
  const values = new Map<number, Value>()
  const taken = new Uint8Array(lowBits + 1)
  for (const [term, value] of entries) {
    const hash = hashTerm(term)
    values.set(hash, value)
    taken[hash & lowBits] = 1
  }
  return {
    get: (hash: number) => values.get(hash),
    /** Visits the terms that have a value, in order. `at`: position in `terms`. */
    visit(terms: Int32Array, visitor: (value: Value, at: number) => void): void {
      for (let at = 0; at < terms.length; at++) {
        const hash = terms[at]!
        if (taken[hash & lowBits] === 0) continue
        const value = values.get(hash)
        if (value !== undefined) visitor(value, at)
      }
    },
  }
}
