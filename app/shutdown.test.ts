import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { handleShutdown } from './shutdown.ts'

const lock = { leftBehind: null, isOpenToOthers: false, release() {} }
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'uncaughtException', 'unhandledRejection', 'exit']
const before = new Map(signals.map((name) => [name, process.rawListeners(name)]))
const exit = vi.spyOn(process, 'exit')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
  exit.mockReset().mockImplementation((() => {}) as never)
  handleShutdown(() => new Promise(() => {}), lock, pino({ level: 'silent' }))
})
afterEach(() => {
  for (const [name, listeners] of before) {
    for (const listener of process.rawListeners(name)) {
      if (!listeners.includes(listener)) process.off(name, listener as () => void)
    }
  }
  vi.useRealTimers()
})

test('a signal that comes twice within a second stops Lectern in order', () => {
  process.emit('SIGQUIT')
  vi.advanceTimersByTime(999)
  process.emit('SIGQUIT')
  process.emit('SIGTERM')
  expect(exit).not.toHaveBeenCalled()
})

test('a second signal after a second ends Lectern at once', () => {
  process.emit('SIGQUIT')
  vi.advanceTimersByTime(1_000)
  process.emit('SIGTERM')
  expect(exit).toHaveBeenCalledExactlyOnceWith(1)
})
