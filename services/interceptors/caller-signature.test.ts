import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Origin } from '../context.ts'
import { createCallerReader, createCallerSigner } from './caller-signature.ts'

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

it('reads back what was signed, on a clock that differs a little', () => {
  for (const minutes of [-4, 0, 4]) expect(createCallerReader(secret, later(minutes))(signed)).toEqual(origin)
})

it.each<[string, string | null]>([
  ['nothing', null],
  ['no signature', signed.split('.')[0]!],
  ['a longer one', `${signed}.x`],
  ['other words under the signature', `${Buffer.from('{}').toString('base64url')}.${signed.split('.')[1]}`],
])('reads null from %s', (_, value) => {
  expect(createCallerReader(secret, () => noon)(value)).toBeNull()
})

it('reads null under another secret, and when it is old', () => {
  expect(createCallerReader(randomBytes(32).toString('base64'), () => noon)(signed)).toBeNull()
  expect(createCallerReader(secret, later(6))(signed)).toBeNull()
})
