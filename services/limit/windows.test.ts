// Windows in memory: a minute from the first hit, separate for each key, and at most 10,000.
import { expect, it } from 'vitest'
import { createWindows } from './windows.ts'

it('counts for a minute from the first hit', () => {
  let now = 0
  const windows = createWindows(() => now)
  expect(windows.look('a')).toEqual({ count: 0, seconds: 0 })
  windows.hit('a')
  now = 30_000
  expect(windows.hit('a')).toEqual({ count: 2, seconds: 30 })
  expect(windows.hit('b')).toEqual({ count: 1, seconds: 60 })
  now = 60_000
  expect(windows.look('a')).toEqual({ count: 0, seconds: 0 })
  expect(windows.hit('a')).toEqual({ count: 1, seconds: 60 })
})

it('drops the oldest of more than 10,000 windows', () => {
  const windows = createWindows(() => 0)
  for (let key = 0; key <= 10_000; key++) windows.hit(`${key}`)
  expect(windows.look('0').count).toBe(0)
  expect(windows.look('1').count).toBe(1)
  expect(windows.look('10000').count).toBe(1)
})
