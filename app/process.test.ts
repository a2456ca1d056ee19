import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLog, createLogTail, handleShutdown } from './process.ts'

function open(isTTY: boolean) {
  const written: string[] = []
  return { written, log: createLog('info', { isTTY, write: (text) => written.push(text) }) }
}

test('a terminal shows lines with the local time, the severity above info, and the fields', () => {
  const { log, written } = open(true)
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  log.info('Lectern stops')
  log.warn({ project: 'docs', pages: { added: 2, updated: 0, failed: 1 } }, 'held')
  log.debug('not shown')
  const start = `\r\u001b[2K${new Date().toLocaleTimeString('en-GB')}`
  expect(written).toEqual([
    `${start}  Lectern stops\n`,
    `${start}  warn  held  project=docs pages=added:2,failed:1\n`,
  ])
})

test('a terminal shows the stack of an error', () => {
  const { log, written } = open(true)
  log.error({ err: new Error('broken') }, 'background work failed')
  expect(written.join('')).toMatch(/ {2}error {2}background work failed\nError: broken\n {4}at /)
})

test('control sequences from servers do not reach a terminal', () => {
  const { log, written } = open(true)
  log.warn({ err: new Error('\u001b[2Jbad'), reason: 'a\u001b[31mb' }, 'sync\u0007 failed')
  expect(written.join('')).toMatch(/sync\ufffd failed {2}reason=a\ufffd\[31mb\nError: \ufffd\[2Jbad\n/)
})

test('the last lines are kept without stacks, secrets and paths of errors', () => {
  const tail = createLogTail('core', ['hunter-2-hunter-2', '/srv/lectern data'])
  const log = createLog('info', { write: () => {} }, tail)
  const key = 'lec_0123456789abcdefghijABCDEFGHIJ012345'
  log.warn({ route: '/api/v2/status/' }, `"/srv/lectern data" is open to hunter-2-hunter-2 and ${key}`)
  log.error(
    { err: new Error("ENOENT: open '/etc/lectern/x.pem', mongodb://u:p@db:27017/l") },
    'a turn failed',
  )
  expect(tail.read().map(({ level, text }) => [level, text])).toEqual([
    ['warn', '"[hidden]" is open to [hidden] and [hidden]  route=/api/v2/status/'],
    ['error', "a turn failed  ENOENT: open '[hidden]', mongodb://[hidden]@db:27017/l"],
  ])
  for (let n = 0; n < 600; n++) log.info('x'.repeat(2_000))
  expect(tail.take()).toHaveLength(500)
  expect(tail.read()).toEqual([])
  log.info('x'.repeat(2_000))
  expect(tail.read()[0]!.text).toHaveLength(1_000)
})

test('other outputs get JSON lines', () => {
  const { log, written } = open(false)
  log.warn({ project: 'docs' }, 'held')
  expect(written.map((line) => JSON.parse(line))).toEqual([
    { level: 40, time: expect.any(Number), project: 'docs', msg: 'held' },
  ])
})

describe('signals', () => {
  const lock = { leftBehind: null, release() {} }
  const signals = [
    'SIGINT',
    'SIGTERM',
    'SIGHUP',
    'SIGQUIT',
    'uncaughtException',
    'unhandledRejection',
    'exit',
  ]
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

  test('the same signal twice within a second stops Lectern in order', () => {
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
})
