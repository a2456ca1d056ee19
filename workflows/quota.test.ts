import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createQuota } from './quota.ts'

test('a page that was given back can be taken again', () => {
  const quota = createQuota(1)
  expect(quota.take()).toBe('granted')
  expect(quota.take()).toBe('wait')
  quota.giveBack()
  expect(quota.take()).toBe('granted')
  quota.keep()
  expect(quota.take()).toBe('exhausted')
})

test('nothing left from the start is exhausted at once', () => {
  expect(createQuota(0).take()).toBe('exhausted')
  expect(createQuota(-3).take()).toBe('exhausted')
})

test('whatever happens, no more pages are kept than there were', () => {
  fc.assert(
    fc.property(fc.nat(20), fc.array(fc.constantFrom('take', 'keep', 'giveBack')), (left, moves) => {
      const quota = createQuota(left)
      let reserved = 0
      let kept = 0
      for (const move of moves) {
        if (move === 'take') reserved += quota.take() === 'granted' ? 1 : 0
        else if (reserved > 0) {
          quota[move as 'keep' | 'giveBack']()
          reserved -= 1
          kept += move === 'keep' ? 1 : 0
        }
      }
      expect(kept + reserved).toBeLessThanOrEqual(left)
    }),
  )
})
