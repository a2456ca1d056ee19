// Terms as numbers of 32 bits: a unit's are kept as such, so that a query's words are found among them by comparing numbers.
// Two terms share a number once in 4,000 million; what comes of it is a count that is too high by one.

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

/** That a term has nothing, as most have, is mostly told by one byte. */
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
