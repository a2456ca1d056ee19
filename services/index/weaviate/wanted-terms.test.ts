// Counting the terms of a query gives what splitting the text gives.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countWanted } from './wanted-terms.ts'

const term = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '全', '.'), minLength: 1, maxLength: 40 })
const known = fc.constantFrom('a', 'ab', 'asyncio.create_task', '全文', 'b')
const either = fc.oneof(term, known)

it('counts as splitting does', () => {
  const query = fc.uniqueArray(either, { minLength: 1, maxLength: 6 })
  const texts = fc.array(fc.array(either, { maxLength: 20 }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(query, texts, (terms, all) => {
      const count = countWanted(terms)
      for (const words of all) {
        const { counts, length } = count(words.join(' '))
        expect(length).toBe(words.length)
        expect([...counts]).toEqual(terms.map((wanted) => words.filter((word) => word === wanted).length))
      }
    }),
  )
})
