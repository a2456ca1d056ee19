// Credentials of sources: AES-256-GCM under a key derived from LECTERN_SECRET, bound to the source, so that one source's cannot
// be put into another. Opened where a source is read, and nowhere else.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Credentials } from '../../sources/source-type.ts'

export interface CredentialKeeper {
  seal(source: string, credentials: Credentials): string
  /** Null where they were not sealed under this secret for this source. */
  open(source: string, sealed: string): Credentials | null
}

const version = 'v1.'
const algorithm = 'aes-256-gcm'
const ivLength = 12
const tagLength = 16

export function createCredentialKeeper(secret: Uint8Array): CredentialKeeper {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'lectern credentials of sources', 32))
  return {
    seal(source, credentials) {
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagLength })
      cipher.setAAD(Buffer.from(source))
      const text = Buffer.concat([cipher.update(JSON.stringify(credentials)), cipher.final()])
      return version + Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
    },
    open(source, sealed) {
      if (!sealed.startsWith(version)) return null
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url')
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivLength), {
          authTagLength: tagLength,
        })
        decipher.setAAD(Buffer.from(source))
        decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength))
        const text = decipher.update(bytes.subarray(ivLength + tagLength))
        return JSON.parse(Buffer.concat([text, decipher.final()]).toString()) as Credentials
      } catch {
        return null
      }
    },
  }
}
