// Frames of readers: whatever a client sends is accepted, or rejected with a sentence.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readFrame } from './frames.ts'

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
const names = ['chatId', 'url', 'email', 'apiKey', 'restoreToken', 'metadata'] as const

it('never throws, and returns valid Unicode', () => {
  const field = fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue(), fc.constant('\ud800'))
  const object = fc.record(
    Object.fromEntries(
      ['message', ...names, 'thinkMode', 'retrievalMode', 'capabilities', 'requestId'].map((name) => [
        name,
        field,
      ]),
    ),
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(object.map(bytes), fc.uint8Array(), fc.json().map(Buffer.from)), (frame) => {
      const { requestId, apiKey, outcome } = readFrame(frame)
      if (requestId !== null) expect(requestId).toMatch(/^[A-Za-z0-9._:-]{1,80}$/)
      if (typeof outcome === 'string') {
        expect(outcome).toMatch(/\.$/)
        return
      }
      expect(outcome.message?.trim()).not.toBe('')
      const texts = [apiKey, ...Object.values(outcome).filter((value) => typeof value === 'string')]
      for (const text of texts) expect(text.isWellFormed()).toBe(true)
    }),
  )
})

it('negotiates only if both fields are valid', () => {
  const id = fc.oneof(fc.stringMatching(/^[A-Za-z0-9._:-]{1,80}$/), fc.string(), fc.integer())
  const capabilities = fc.oneof(
    fc.array(fc.constantFrom('activity.v1', 'activity.v2', 'x')),
    fc.constant('activity.v1'),
  )
  fc.assert(
    fc.property(id, capabilities, (requestId, capabilities) => {
      const isRight =
        Array.isArray(capabilities) &&
        capabilities.includes('activity.v1') &&
        typeof requestId === 'string' &&
        /^[A-Za-z0-9._:-]{1,80}$/.test(requestId) &&
        !requestId.includes('\n')
      const { requestId: read } = readFrame(bytes({ message: 'a', requestId, capabilities }))
      expect(read).toBe(isRight ? requestId : null)
    }),
    { examples: ['a'.repeat(80), 'a'.repeat(81), 'a b', 7].map((id) => [id, ['activity.v1']]) },
  )
})
