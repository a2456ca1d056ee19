import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startWatchdog, type Watchdog } from './watchdog.ts'

const cpuLimit = 1_000
const interval = cpuLimit / 4

let watchdog: Watchdog
const [ask, end] = [vi.fn(), vi.fn()]
beforeEach(() => {
  vi.useFakeTimers()
  ask.mockReset()
  end.mockReset()
})
afterEach(() => {
  watchdog.stop()
  vi.useRealTimers()
})

const watch = (cpuTime: () => Promise<number>) => {
  watchdog = startWatchdog(cpuLimit, { ask, cpuTime, end })
}
const look = (times: number) => vi.advanceTimersByTimeAsync(times * interval)

test('leaves long work alone that responds', async () => {
  let cpu = 0
  watch(async () => {
    cpu += interval
    return cpu
  })
  ask.mockImplementation(() => setTimeout(() => watchdog.answered(), 3 * interval))
  await look(1_000)
  expect(end).not.toHaveBeenCalled()
})

test('ends a thread once that exceeds its processor time without a response', async () => {
  let cpu = 5_000
  watch(async () => cpu)
  await look(3)
  expect(ask).toHaveBeenCalledOnce()
  cpu += cpuLimit
  await look(1)
  expect(end).not.toHaveBeenCalled()
  cpu += 1
  await look(10)
  expect(end).toHaveBeenCalledOnce()
})

test('leaves a thread alone that waits for a processor, however long', async () => {
  watch(async () => 5_000)
  await look(10_000)
  expect(end).not.toHaveBeenCalled()
})

test('ends a thread that does not even report its processor time', async () => {
  watch(() => new Promise(() => {}))
  await look(40)
  expect(end).not.toHaveBeenCalled()
  await look(20)
  expect(end).toHaveBeenCalledOnce()
})
