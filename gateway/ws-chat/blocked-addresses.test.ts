import { expect, test } from 'vitest'
import { createBlockedAddresses } from './blocked-addresses.ts'

test('an address is blocked with its network, for as long as the core said', () => {
  let now = 1_000
  const blocked = createBlockedAddresses(() => now)
  blocked.met('2001:db8::1', 'n1')
  blocked.met('2001:db8::2', 'n1')
  blocked.met('192.0.2.1', 'n2')
  blocked.block('n1', 60)
  expect(['2001:db8::1', '2001:db8::2', '192.0.2.1', '192.0.2.9'].map(blocked.secondsLeft)).toEqual([
    60, 60, 0, 0,
  ])
  now += 59_500
  expect(blocked.secondsLeft('2001:db8::2')).toBe(1)
  now += 500
  expect(blocked.secondsLeft('2001:db8::2')).toBe(0)
})

test('what was met first is forgotten first', () => {
  const blocked = createBlockedAddresses(() => 0)
  for (let n = 0; n <= 10_000; n++) {
    blocked.met(`a${n}`, `n${n}`)
    blocked.block(`n${n}`, 60)
  }
  expect([0, 1, 10_000].map((n) => blocked.secondsLeft(`a${n}`))).toEqual([0, 60, 60])
})
