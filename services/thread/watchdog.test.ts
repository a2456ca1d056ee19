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

test('work that takes long but answers is left alone', async () => {
  let cpu = 0
  watch(async () => {
    cpu += interval
    return cpu
  })
  ask.mockImplementation(() => setTimeout(() => watchdog.answered(), 3 * interval))
  await look(1_000)
  expect(end).not.toHaveBeenCalled()
})

test('what takes more processor time than it may, without an answer, is ended once', async () => {
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

test('what waits for a processor is left alone, however long', async () => {
  watch(async () => 5_000)
  await look(10_000)
  expect(end).not.toHaveBeenCalled()
})

test('what no longer even tells its processor time is ended', async () => {
  watch(() => new Promise(() => {}))
  await look(40)
  expect(end).not.toHaveBeenCalled()
  await look(20)
  expect(end).toHaveBeenCalledOnce()
})
