// Bursts on one connection, made exact.
import { expect, it } from 'vitest'
import { createBurst } from './connection.ts'

it('has ten messages in any 30 s, and says how long to wait', () => {
  let now = 1_000
  const burst = createBurst(() => now)
  for (let sent = 0; sent < 10; sent++) {
    expect(burst.wait()).toBe(0)
    burst.accept()
    now += 1_000
  }
  expect(burst.wait()).toBe(20)
  now += 19_999
  expect(burst.wait()).toBe(1)
  now += 1
  expect(burst.wait()).toBe(0)
  burst.accept()
  expect(burst.wait()).toBe(1)
})

it('does not count a message that was refused after all', () => {
  const burst = createBurst(() => 0)
  for (let sent = 0; sent < 30; sent++) {
    expect(burst.wait()).toBe(0)
    burst.accept()()
  }
})
