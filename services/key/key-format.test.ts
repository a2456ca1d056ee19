import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { permissions, readPermission } from '../permissions.ts'
import { createKey, hashKey, readKey } from './key-format.ts'

it('creates keys of the documented format, and reads them', () => {
  const made = new Set(Array.from({ length: 200 }, () => createKey(randomBytes)))
  expect(made.size).toBe(200)
  for (const key of made) {
    expect(key).toMatch(/^lec_[0-9A-Za-z]{36}$/)
    expect(readKey(key)).toBe(key)
  }
})

it('appends the CRC-32 of the 30 characters, in base62, padded to 6', () => {
  expect(createKey((size) => new Uint8Array(size))).toBe(`lec_${'0'.repeat(30)}${inBase62(crcOfZeros)}`)
})

const crcOfZeros =
  [...'0'.repeat(30)].reduce((crc, digit) => {
    let rest = crc ^ digit.charCodeAt(0)
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
    return rest >>> 0
  }, 0xffffffff) ^ 0xffffffff

function inBase62(number: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  let text = ''
  for (let rest = number >>> 0; rest > 0; rest = Math.floor(rest / 62)) text = digits[rest % 62] + text
  return text.padStart(6, '0')
}

it('rejects a key with any character changed', () => {
  const key = createKey(randomBytes)
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: key.length - 1 }),
      fc.constantFrom(...'09AZaz_-é'),
      (at, letter) => {
        const changed = key.slice(0, at) + letter + key.slice(at + 1)
        return changed === key || readKey(changed) === null
      },
    ),
  )
})

it('stores the SHA-256 of a key', () => {
  expect(hashKey('lec_x')).toBe(createHash('sha256').update('lec_x').digest('hex'))
})

it('reads current and legacy permission names', () => {
  for (const permission of permissions) expect(readPermission(permission)).toBe(permission)
  const legacy = {
    project_read: 'projects_read',
    project_search: 'search',
    project_sources_read: 'sources_read',
    project_sources_create: 'sources_create',
    project_sources_delete: 'sources_delete',
    project_sync: 'sync_create',
    chat_create: 'chats_create',
  }
  for (const [name, current] of Object.entries(legacy)) expect(readPermission(name)).toBe(current)
  for (const name of ['', 'everything', 'constructor', '__proto__']) expect(readPermission(name)).toBeNull()
})

it('skips bytes that would make some digits more likely than others', () => {
  const given = [
    Uint8Array.from({ length: 30 }, (_, n) => 226 + n),
    Uint8Array.from({ length: 30 }, (_, n) => 10 + n),
  ]
  const key = createKey(() => given.shift()!)
  // 226 … 247 are digits 40 … 61; the eight bytes from 248 are skipped.
  expect(key.slice(4, 34)).toBe('efghijklmnopqrstuvwxyzABCDEFGH')
})
