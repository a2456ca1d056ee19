// Counting the terms of a query gives what splitting the text gives.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countWanted } from './wanted-terms.ts'

const term = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '全', '.'), minLength: 1, maxLength: 40 })
const known = fc.constantFrom('a', 'ab', 'asyncio.create_task', '全文', 'b')
const either = fc.oneof(term, known)

it('counts as splitting does', () => {
  const query = fc.uniqueArray(either, { minLength: 1, maxLength: 6 })
  const text = fc.array(fc.array(either, { maxLength: 20 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(query, fc.array(text, { minLength: 1, maxLength: 3 }), (terms, texts) => {
      const count = countWanted(terms, 4)
      for (const lines of texts) {
        const { counts, lengths } = count(lines.map((words) => words.join(' ')).join('\n'))
        for (const [line, words] of lines.entries()) {
          expect(lengths[line]).toBe(words.length)
          const times = terms.map((wanted) => words.filter((word) => word === wanted).length)
          expect([...counts[line]!]).toEqual(times)
        }
      }
    }),
  )
})
