// The form of an API key (`lec_`, 30 base62 characters, and their CRC-32 in base62), and the permissions that it holds.
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Permission, readPermission, rolePermissions } from '../permissions.ts'
import type { Store } from '../store/store.ts'
import type { Key } from '../store/team.ts'

const prefix = 'lec_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 30
const checksumLength = 6
const form = /^lec_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** Makes a key. `randomBytes` gives that many unpredictable bytes. */
export function createKey(randomBytes: (size: number) => Uint8Array): string {
  let secret = ''
  while (secret.length < secretLength) {
    for (const byte of randomBytes(secretLength)) {
      // 248 = 4 × 62: bytes from there on would make some digits likelier than others.
      if (byte < 248 && secret.length < secretLength) secret += digits[byte % 62]
    }
  }
  return prefix + secret + checksum(secret)
}

/** Reads a key; null where the form or the checksum is wrong, so that a typing error costs no look in the store. */
export function readKey(text: string): string | null {
  const match = form.exec(text)
  return match?.[1] && checksum(match[1]) === match[2] ? text : null
}

/** What is stored of a key: SHA-256, lower-case hex. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** CRC-32 in base62, most significant digit first: 62 ** 6 is greater than 2 ** 32, so six digits hold it. */
function checksum(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let place = 0; place < checksumLength; place += 1) {
    text = digits[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** Whether the key belongs to a tab of the console, or is the link that signs one in. */
export const isSession = ({ signedInBy }: Key): boolean => typeof signedInBy === 'string'

export const isAdminSession = ({ signedInBy }: Key): boolean => signedInBy === ''

/** Until when what the key grants may last; null: for ever. A session grants what the key that began it may, which does not expire. */
export function grantsUntil(key: Key | null): string | null {
  return key === null || isSession(key) ? null : key.expiresAt
}

/** UUID of the key that is accountable for this one's calls; null: the admin key. */
export function grantor(key: Key | null): string | null {
  return (key?.signedInBy ?? key?.uuid) || null
}

/** A member's keys hold no more than the member's role, and nothing (null) when the member is gone. */
export async function heldPermissions(store: Pick<Store, 'members'>, key: Key): Promise<Permission[] | null> {
  const names = key.permissions.map(readPermission).filter((name) => name !== null)
  if (key.memberUuid === null) return names
  const member = await store.members.get(key.team, key.memberUuid)
  return member && names.filter((name) => rolePermissions[member.role].includes(name))
}
