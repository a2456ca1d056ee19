// Counting the terms of a query gives what splitting the text gives.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countWanted } from './wanted-terms.ts'

const term = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '全', '.'), minLength: 1, maxLength: 4 })

it('counts as splitting does', () => {
  const query = fc.uniqueArray(term, { minLength: 1, maxLength: 6 })
  const text = fc.array(term, { maxLength: 40 })
  fc.assert(
    fc.property(query, text, (terms, words) => {
      const { counts, length } = countWanted(terms)(words.join(' '))
      expect(length).toBe(words.length)
      expect([...counts]).toEqual(terms.map((wanted) => words.filter((word) => word === wanted).length))
    }),
  )
})
