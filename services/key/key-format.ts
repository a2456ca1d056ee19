// The format of an API key (`lec_`, 30 base62 characters, and their CRC-32 in base62), and its permissions.
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Permission, permissions, readPermission, rolePermissions } from '../permissions.ts'
import type { Store } from '../store/store.ts'
import type { Key } from '../store/team.ts'

const prefix = 'lec_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 30
const checksumLength = 6
const form = /^lec_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** Creates a key. `randomBytes` must be cryptographically secure. */
export function createKey(randomBytes: (size: number) => Uint8Array): string {
  let secret = ''
  while (secret.length < secretLength) {
    for (const byte of randomBytes(secretLength)) {
      // Rejects bytes from 248 = 4 × 62, which would bias the digits.
      if (byte < 248 && secret.length < secretLength) secret += digits[byte % 62]
    }
  }
  return prefix + secret + checksum(secret)
}

/** A key with all permissions for all projects, unless other fields are given. */
export function newKey(
  given: Partial<Key> & Pick<Key, 'uuid' | 'team' | 'name' | 'hash' | 'createdAt'>,
): Key {
  const rest = { projects: null, memberUuid: null, expiresAt: null, lastUsedAt: null, signedInBy: null }
  return { permissions: [...permissions], ...rest, ...given }
}

/** Returns the key; null if its format or checksum is wrong, so that a typing error needs no query of the store. */
export function readKey(text: string): string | null {
  const match = form.exec(text)
  return match?.[1] && checksum(match[1]) === match[2] ? text : null
}

/** The stored hash of a key: SHA-256 in lower-case hex. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** CRC-32 in base62, most significant digit first. Six digits suffice, since 62 ** 6 > 2 ** 32. */
function checksum(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let place = 0; place < checksumLength; place += 1) {
    text = digits[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** Whether the key is a session of the console or a sign-in link. */
export const isSession = ({ signedInBy }: Key): boolean => typeof signedInBy === 'string'

export const isAdminSession = ({ signedInBy }: Key): boolean => signedInBy === ''

/** When keys that this key creates must expire; null: never. Only keys that do not expire can start a session. */
export function grantsUntil(key: Key | null): string | null {
  return key === null || isSession(key) ? null : key.expiresAt
}

/** UUID of the key that is responsible for this key's calls: of a session, the key that started it. Null: the admin key. */
export function grantor(key: Key | null): string | null {
  return (key?.signedInBy ?? key?.uuid) || null
}

/** The key's permissions. A member's key has at most those of the member's role. Null if the member was removed. */
export async function heldPermissions(store: Pick<Store, 'members'>, key: Key): Promise<Permission[] | null> {
  const names = key.permissions.map(readPermission).filter((name) => name !== null)
  if (key.memberUuid === null) return names
  const member = await store.members.get(key.team, key.memberUuid)
  return member && names.filter((name) => rolePermissions[member.role].includes(name))
}
