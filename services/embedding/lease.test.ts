import { expect, test } from 'vitest'
import { createEmbeddingLease } from './embedding.ts'

test('of two processes one has the project until its window ends, and another when it is gone', async () => {
  let now = 0
  let asked = 0
  const windows = new Map<string, { count: number; endsAt: number }>()
  const limits = {
    async hit(key: string, windowMs: number, at: number) {
      asked += 1
      const known = windows.get(key)
      const window = known && known.endsAt > at ? known : { count: 0, endsAt: at + windowMs }
      windows.set(key, { ...window, count: window.count + 1 })
      return { ...window, count: window.count + 1 }
    },
  }
  const [one, other] = [createEmbeddingLease(limits, () => now), createEmbeddingLease(limits, () => now)]
  expect([await one('a'), await other('a'), await other('b'), await one('b')]).toEqual([
    true,
    false,
    true,
    false,
  ])
  now = 19_999
  expect([await one('a'), await other('a')]).toEqual([true, false])
  // Each look is a write to the store, which others wait for too: one by process and window is enough.
  expect(asked).toBe(4)
  now = 20_000
  expect([await other('a'), await one('a')]).toEqual([true, false])
})
