import { expect, test } from 'vitest'
import { createEmbeddingLease } from './embedding.ts'

test('gives a project to one of two processes until its window ends, and to another when that one is gone', async () => {
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
  // Each look is a write to the shared store: one per process and window is enough.
  expect(asked).toBe(4)
  now = 20_000
  expect([await other('a'), await one('a')]).toEqual([true, false])
})
