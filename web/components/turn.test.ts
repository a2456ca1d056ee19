// A turn with any frames: the rules of clients hold whatever a server sends, in whatever order.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { breakOff, createTurn, takeFrame } from './turn.ts'

const requestId = 'turn-1'
const other = fc.constantFrom('turn-2', 7, null)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const odd = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(undefined))

const status = fc.record({
  type: fc.constant('status'),
  version: fc.constantFrom(1, '1', 2),
  requestId: fc.oneof(fc.constant(requestId), other),
  sequence: fc.oneof(fc.integer({ min: -2, max: 30 }), fc.constantFrom('3', 1.5, null)),
  stage: fc.constantFrom(
    'contextualizing',
    'searching_docs',
    'writing_answer',
    'completed',
    'odd',
    '__proto__',
  ),
  state: fc.constantFrom('started', 'completed', 'failed', 'odd'),
  detail: maybe(fc.oneof(fc.record({ searchRound: fc.nat(3), documentCount: fc.nat(50) }), odd)),
})
const answer = fc.record({
  from: fc.constantFrom('ai', 'ai', 'ai', 'user'),
  requestId: fc.oneof(fc.constant(requestId), fc.constant(undefined), other),
  message: fc.oneof(fc.string(), odd),
  isPartial: fc.oneof(
    { weight: 6, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
    odd,
  ),
  chatId: maybe(fc.uuid()),
  restoreToken: maybe(fc.string()),
  sources: maybe(fc.oneof(odd, fc.array(odd))),
  isError: maybe(fc.boolean()),
  interrupted: maybe(fc.boolean()),
  stopReason: maybe(fc.constantFrom('stop', 'length', 'error', 'interrupted', 'rate_limited')),
})
const frames = fc.array(fc.oneof(status, answer, odd), { maxLength: 40, size: 'max' })

describe('a turn', () => {
  test('only moves forward, ends once, and keeps its draft on an error', () => {
    fc.assert(
      fc.property(frames, (list) => {
        let turn = createTurn('q', requestId)
        for (const frame of list) {
          const next = takeFrame(turn, frame)
          expect(next.sequence).toBeGreaterThanOrEqual(turn.sequence)
          if (turn.phase !== 'running') {
            expect([next.phase, next.text]).toEqual([turn.phase, turn.text])
          } else if (next.phase === 'running') {
            expect(next.text.startsWith(turn.text)).toBe(true)
          } else if (next.phase === 'broken') {
            expect(next.text.length).toBeGreaterThanOrEqual(Math.floor(turn.text.length / 2))
            if ((frame as { isError?: boolean }).isError) expect(next.text).toBe(turn.text)
          }
          turn = next
        }
      }),
      { numRuns: 40 },
    )
  })

  test('ignores a repeated or older status', () => {
    fc.assert(
      fc.property(fc.array(status), (list) => {
        let turn = createTurn('q', requestId)
        for (const frame of list) {
          const once = takeFrame(turn, frame)
          expect(takeFrame(once, frame)).toBe(once)
          turn = once
        }
      }),
    )
  })

  test.each([
    { sequence: 5, stage: 'searching_docs' },
    { sequence: 4, stage: 'searching_docs' },
    { sequence: 7, stage: 'searching_docs', requestId: 'turn-2' },
    { sequence: 8, stage: 'searching_docs', version: 2 },
    { sequence: 9, stage: 'brewing_coffee' },
    { type: undefined, from: 'ai', message: 'Not this.', isPartial: true, requestId: 'turn-2' },
  ])('ignores %j', (frame) => {
    const status = { type: 'status', version: 1, requestId, stage: 'contextualizing', state: 'started' }
    const turn = takeFrame(createTurn('q', requestId), { ...status, sequence: 5 })
    const { stages, text } = takeFrame(turn, { ...status, ...frame })
    expect([stages, text]).toEqual([turn.stages, ''])
  })

  test('keeps the received text when the client stops it, with the reason', () => {
    const lost = { code: 'lost' } as const
    const running = takeFrame(createTurn('q', requestId), { from: 'ai', message: 'Half', isPartial: true })
    expect(breakOff(running, lost, true)).toMatchObject({ phase: 'broken', text: 'Half', notice: lost })
    const done = takeFrame(running, { from: 'ai', message: 'Whole', isPartial: false })
    expect(breakOff(done, lost, true)).toBe(done)
  })

  test.each([
    [{ interrupted: true }, 'Half and more, checked', 'Half and more, checked', { code: 'interrupted' }],
    [{ interrupted: true }, '', 'Half and more', { code: 'interrupted' }],
    [{ interrupted: true }, 'Sorry!', 'Half and more', { text: 'Sorry!' }],
    [
      { isError: true, interrupted: true },
      'The model is away, alas.',
      'Half and more',
      { text: 'The model is away, alas.' },
    ],
    [
      { stopReason: 'rate_limited' },
      'Wait twenty seconds.',
      'Half and more',
      { text: 'Wait twenty seconds.' },
    ],
  ])('ends with %j and the text %j, and shows %j', (fields, message, text, notice) => {
    const draft = takeFrame(createTurn('q', requestId), {
      from: 'ai',
      message: 'Half and more',
      isPartial: true,
    })
    const end = takeFrame(draft, { from: 'ai', message, isPartial: false, ...fields })
    expect(end).toMatchObject({ phase: 'broken', text, notice })
  })
})
