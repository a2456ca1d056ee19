import { expect, test } from 'vitest'
import { createCredentialKeeper } from './credentials.ts'

const keeper = createCredentialKeeper(Buffer.alloc(32, 1))
const credentials = { token: 'hunter2' }

test('decrypts what was encrypted for a source, and reveals nothing', () => {
  const sealed = keeper.seal('s1', credentials)
  expect(keeper.open('s1', sealed)).toEqual(credentials)
  expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('hunter')
  expect(keeper.seal('s1', credentials)).not.toBe(sealed)
})

test('does not decrypt for another source, with another secret, or after a change', () => {
  const sealed = keeper.seal('s1', credentials)
  expect(keeper.open('s2', sealed)).toBeNull()
  expect(createCredentialKeeper(Buffer.alloc(32, 2)).open('s1', sealed)).toBeNull()
  for (let at = 3; at < sealed.length; at += 7) {
    const other = sealed[at] === 'A' ? 'B' : 'A'
    expect(keeper.open('s1', sealed.slice(0, at) + other + sealed.slice(at + 1))).toBeNull()
  }
  for (const bad of ['', 'v1.', 'v1.AAAA', 'v2.AAAA', sealed.slice(0, 20)]) {
    expect(keeper.open('s1', bad)).toBeNull()
  }
})
