import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDotProducts, paddedTo } from './vector-file.ts'

const byte = fc.integer({ min: -127, max: 127 })

it('multiplies a vector by every row, whatever their number and dimension', () => {
  const cases = fc.integer({ min: 1, max: 70 }).chain((dimension) =>
    fc.record({
      query: fc.array(byte, { minLength: dimension, maxLength: dimension, size: 'max' }),
      rows: fc.array(fc.array(byte, { minLength: dimension, maxLength: dimension, size: 'max' }), {
        maxLength: 9,
      }),
    }),
  )
  fc.assert(
    fc.property(cases, ({ query, rows }) => {
      const width = paddedTo(query.length)
      const { codes, products } = createDotProducts(rows.length, width)
      for (const [at, row] of rows.entries()) codes.set(row, at * width)
      const expected = rows.map((row) => row.reduce((sum, value, axis) => sum + value * query[axis]!, 0))
      expect([...products(Int8Array.from(query))]).toEqual(expected)
    }),
  )
})

it('holds the largest products of 4,096 axes', () => {
  const { codes, products } = createDotProducts(1, 4_096)
  codes.fill(-127)
  expect([...products(new Int8Array(4_096).fill(-127))]).toEqual([4_096 * 127 * 127])
})
