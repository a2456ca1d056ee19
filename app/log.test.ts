import { expect, test } from 'vitest'
import { createLog } from './log.ts'

function open(isTTY: boolean) {
  const written: string[] = []
  return { written, log: createLog('info', { isTTY, write: (text) => written.push(text) }) }
}

test('a terminal shows lines with the local time, the severity above info, and the fields', () => {
  const { log, written } = open(true)
  const before = new Date().toLocaleTimeString('en-GB')
  log.info('Lectern stops')
  log.warn({ project: 'docs', pages: { added: 2, updated: 0, failed: 1 } }, 'held')
  log.debug('not shown')
  const after = new Date().toLocaleTimeString('en-GB')
  const start = '\r\u001b[2K'
  const lines = written.map((text) => {
    expect(text.startsWith(start)).toBe(true)
    expect([before, after]).toContain(text.slice(start.length, start.length + 8))
    return text.slice(start.length + 8)
  })
  expect(lines).toEqual(['  Lectern stops\n', '  warn  held  project=docs pages=added:2,failed:1\n'])
})

test('a terminal shows the stack of an error', () => {
  const { log, written } = open(true)
  log.error({ err: new Error('broken') }, 'background work failed')
  expect(written.join('')).toMatch(/ {2}error {2}background work failed\nError: broken\n {4}at /)
})

test('nothing that a server wrote reaches a terminal as a control sequence', () => {
  const { log, written } = open(true)
  log.warn({ err: new Error('\u001b[2Jbad'), reason: 'a\u001b[31mb' }, 'sync\u0007 failed')
  expect(written.join('')).toMatch(/sync\ufffd failed {2}reason=a\ufffd\[31mb\nError: \ufffd\[2Jbad\n/)
})

test('anything else gets JSON lines', () => {
  const { log, written } = open(false)
  log.warn({ project: 'docs' }, 'held')
  expect(written.map((line) => JSON.parse(line))).toEqual([
    { level: 40, time: expect.any(Number), project: 'docs', msg: 'held' },
  ])
})
