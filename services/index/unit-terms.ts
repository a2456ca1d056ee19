// The terms of a unit as numbers of 32 bits, so that a query's terms are found among them by comparing numbers. Two terms share
// a number once in 4,000 million; then a count is too high by one.
import { analyzeJoined } from './analyze.ts'
import type { Unit, Vocabulary } from './search-index.ts'
import { listNames } from './units.ts'

/** Hashes of terms, in order, with repetitions. */
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
    heading: hashTerms(analyzeJoined(listNames(unit).join('\n'))),
    path: hashTerms(analyzeJoined(unit.path.join('\n'))),
    headings: hashTerms(unit.headingTerms),
    body: hashTerms(unit.bodyTerms),
  }),
)

/**
 * Caches what `make` returns for a unit while the index keeps the unit: as a reader types, the same units return.
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

const space = 32
const offsetBasis = 0x811c9dc5 | 0
const prime = 0x01000193

/** FNV-1a, 32 bits (Fowler, Noll and Vo, 1991), over UTF-16 units instead of bytes; signed, as engines keep small integers. */
export function hashTerm(term: string): number {
  let hash = offsetBasis
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), prime)
  return hash
}

/** Of each of the terms, in order; `terms`: joined by single spaces, as a unit has them. */
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

/** What belongs to some terms, by their hashes. */
export interface TermTable<Value> {
  get(hash: number): Value | undefined
  /** Visits those of the terms to which something belongs, in order; `at`: which of them it is, from 0. */
  visit(terms: Int32Array, visitor: (value: Value, at: number) => void): void
}

const lowBits = 0x3ff

/** One byte excludes most terms that have no value. */
export function createTermTable<Value>(entries: Iterable<readonly [string, Value]>): TermTable<Value> {
  const values = new Map<number, Value>()
  const taken = new Uint8Array(lowBits + 1)
  for (const [term, value] of entries) {
    const hash = hashTerm(term)
    values.set(hash, value)
    taken[hash & lowBits] = 1
  }
  return {
    get: (hash) => values.get(hash),
    visit(terms, visitor) {
      for (let at = 0; at < terms.length; at++) {
        const hash = terms[at]!
        if (taken[hash & lowBits] === 0) continue
        const value = values.get(hash)
        if (value !== undefined) visitor(value, at)
      }
    },
  }
}

/** `sums`: of each term, the units that hold it anywhere, and in headings. */
export function toVocabulary(
  units: number,
  sums: Map<string, { anywhere: number; inHeadings: number }>,
): Vocabulary {
  const terms = [...sums.keys()].sort()
  return {
    units,
    terms,
    counts: Uint32Array.from(terms, (term) => sums.get(term)!.anywhere),
    inHeadings: Uint32Array.from(terms, (term) => sums.get(term)!.inHeadings),
  }
}
