import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Origin } from '../context.ts'
import { createCallerSigner, createCallerVerifier } from './identify.ts'

const secret = randomBytes(32).toString('base64')
const noon = new Date('2026-11-21T12:00:00Z')
const later = (minutes: number) => () => new Date(noon.getTime() + minutes * 60_000)
const origin: Origin = {
  surface: 'socket',
  address: '2001:db8::1',
  origin: 'https://é.example',
  connection: 'c',
}
const signed = createCallerSigner(secret, () => noon)(origin)

it('reads what was signed, with a clock that differs a little', () => {
  for (const minutes of [-4, 0, 4])
    expect(createCallerVerifier(secret, later(minutes))(signed)).toEqual(origin)
})

it('checks the age of a signature each time, and renews it', () => {
  let now = noon
  const sign = createCallerSigner(secret, () => now)
  const read = createCallerVerifier(secret, () => now)
  const value = sign(origin)
  expect([sign(origin), read(value), read(value)]).toEqual([value, origin, origin])
  expect(sign({ ...origin })).toBe(value)
  now = later(6)()
  expect(read(value)).toBeNull()
  expect(sign(origin)).not.toBe(value)
  expect(read(sign(origin))).toEqual(origin)
})

it('remembers many callers', () => {
  const sign = createCallerSigner(secret, () => noon)
  const read = createCallerVerifier(secret, () => noon)
  const values = Array.from({ length: 2_001 }, (_, n) => sign({ ...origin, connection: `${n}` }))
  for (const value of [...values, values[0]!]) expect(read(value)?.surface).toBe('socket')
  expect(read(values[1000]!)?.connection).toBe('1000')
})

it.each<[string, string | null]>([
  ['nothing', null],
  ['a missing signature', signed.split('.')[0]!],
  ['a longer signature', `${signed}.x`],
  ['other content with the signature', `${Buffer.from('{}').toString('base64url')}.${signed.split('.')[1]}`],
])('reads null from %s', (_, value) => {
  expect(createCallerVerifier(secret, () => noon)(value)).toBeNull()
})

it('reads null with another secret, and from an old signature', () => {
  expect(createCallerVerifier(randomBytes(32).toString('base64'), () => noon)(signed)).toBeNull()
  expect(createCallerVerifier(secret, later(6))(signed)).toBeNull()
})
