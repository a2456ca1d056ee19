import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Heartbeat, startHeartbeat } from './heartbeat.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  heartbeat.stop()
  vi.useRealTimers()
})

let heartbeat: Heartbeat
const stuck = vi.fn()
beforeEach(() => stuck.mockReset())

test('work that takes long but answers each beat is left alone', () => {
  heartbeat = startHeartbeat(1_000, () => setTimeout(() => heartbeat.answered(), 700), stuck)
  vi.advanceTimersByTime(60_000)
  expect(stuck).not.toHaveBeenCalled()
})

test('what answers no more is told of once, a timeout after it was asked', () => {
  const ask = vi.fn()
  heartbeat = startHeartbeat(1_000, ask, stuck)
  vi.advanceTimersByTime(250)
  expect(ask).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(999)
  expect(stuck).not.toHaveBeenCalled()
  vi.advanceTimersByTime(10_000)
  expect(stuck).toHaveBeenCalledOnce()
})
