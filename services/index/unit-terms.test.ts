import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTermTable, hashTerm, hashTerms } from './unit-terms.ts'

it('hashes with FNV-1a', () => {
  // From the algorithm's published test vectors.
  expect(hashTerm('')).toBe(0x811c9dc5 | 0)
  expect(hashTerm('a')).toBe(0xe40c292c | 0)
  expect(hashTerm('foobar')).toBe(0xbf9cf968 | 0)
})

it('hashes each term of joined terms separately', () => {
  const term = fc.string({
    unit: fc.constantFrom('a', 'b', 'é', '全', '.', '\n'),
    minLength: 1,
    maxLength: 40,
    size: 'max',
  })
  fc.assert(
    fc.property(fc.array(term, { maxLength: 20, size: 'max' }), (terms) => {
      expect([...hashTerms(terms.join(' '))]).toEqual(terms.map(hashTerm))
    }),
  )
})

it('finds the values of known terms, and none for others', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'copy_to', '全文', '')
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(word, fc.string())), fc.array(word), (known, terms) => {
      const table = createTermTable(known.map((term, at) => [term, at]))
      const found: [number, number][] = []
      table.visit(Int32Array.from(terms.map(hashTerm)), (value, at) => found.push([value, at]))
      expect(found).toEqual(
        terms.flatMap((term, at) => (known.includes(term) ? [[known.indexOf(term), at]] : [])),
      )
      expect(terms.map((term) => table.get(hashTerm(term)) ?? -1)).toEqual(terms.map((t) => known.indexOf(t)))
    }),
  )
})
