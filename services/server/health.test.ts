// Concurrent health checks share one request to the backends.
import { expect, it } from 'vitest'
import { createBackendCheck } from './health.ts'

it('checks the backends at most once in two seconds', async () => {
  let now = 0
  let pings = 0
  let isAway = false
  const check = createBackendCheck(
    {
      store: async () => {
        pings += 1
        if (isAway) throw new Error('away')
      },
    },
    () => now,
  )
  for (let asked = 0; asked < 1_000; asked++) expect(await check()).toEqual([])
  isAway = true
  now = 1_999
  expect(await Promise.all([check(), check()])).toEqual([[], []])
  expect(pings).toBe(1)
  now = 2_000
  expect(await Promise.all([check(), check()])).toEqual([['store'], ['store']])
  expect(pings).toBe(2)
})
