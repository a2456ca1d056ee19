// Validates and encrypts the credentials of sources, with AES-256-GCM and a key derived from LECTERN_SECRET. Encrypted credentials
// are bound to their source, so that they cannot be copied to another, and are decrypted only to read it.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { JsonObject } from '@bufbuild/protobuf'
import type { Source as SourceMessage } from '../../gen/lectern/v1/source_pb.js'
import { sourceTable } from '../../sources/source-table.ts'
import type { CredentialName, Credentials } from '../../sources/source-type.ts'
import { invalidField } from '../errors.ts'
import type { Source } from '../store/source.ts'

export type CredentialKeeper = ReturnType<typeof createCredentialKeeper>

const version = 'v1.'
const algorithm = 'aes-256-gcm'
const ivLength = 12
const tagLength = 16

export function createCredentialKeeper(secret: Uint8Array) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'lectern credentials of sources', 32))
  return {
    seal(source: string, credentials: Credentials): string {
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagLength })
      cipher.setAAD(Buffer.from(source))
      const text = Buffer.concat([cipher.update(JSON.stringify(credentials)), cipher.final()])
      return version + Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
    },
    /** Null unless encrypted with this secret for this source. */
    open(source: string, sealed: string): Credentials | null {
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

/** Forbidden request headers of the fetch standard without Cookie, and hop-by-hop and forwarding headers. */
const forbiddenHeaders = new Set(
  `accept-charset accept-encoding access-control-request-headers access-control-request-method connection content-length cookie2
   date dnt expect forwarded host keep-alive origin referer set-cookie te trailer transfer-encoding upgrade via x-http-method
   x-http-method-override x-method-override x-real-ip`.split(/\s+/),
)
const forbiddenPrefixes = /^(?:proxy-|sec-|x-forwarded-)/

const names = ['token', 'header', 'value', 'email', 'headers'] as const
const maxHeaders = 20
const maxValue = 4_000

/**
 * Sets `paths`: all `credentials`, or some of its fields, with the others unchanged. Removes null and empty fields. Throws
 * DomainError(invalid) with the field, prefixed by `path`.
 */
export function setCredentials(
  keeper: CredentialKeeper,
  source: Source,
  paths: string[],
  { credentials: given }: SourceMessage,
  path = '',
): void {
  const base = `${path}credentials.`
  const isWhole = paths.includes('credentials')
  const before = isWhole || source.credentials === null ? null : keeper.open(source.uuid, source.credentials)
  const credentials: Credentials = { ...before }
  for (const name of names.filter((each) => isWhole || paths.includes(`credentials.${each}`))) {
    delete credentials[name]
    if (name === 'headers') Object.assign(credentials, readHeaders(given?.headers, `${base}headers`))
    else if (given?.[name]) credentials[name] = given[name]
  }
  check(credentials, source, base)
  const isEmpty = Object.keys(credentials).length === 0
  source.credentials = isEmpty ? null : keeper.seal(source.uuid, credentials)
}

function readHeaders(given: JsonObject | undefined, path: string): Pick<Credentials, 'headers'> {
  const entries = Object.entries(given ?? {})
  if (entries.length > maxHeaders) throw invalidField(path, `must have at most ${maxHeaders} headers`)
  const headers = new Map<string, string>()
  for (const [name, value] of entries) {
    const field = `${path}.${name.slice(0, 200)}`
    if (typeof value !== 'string' || value === '' || value.length > maxValue)
      throw invalidField(field, `must be a string of 1 to ${maxValue} characters`)
    checkHeader(name, field)
    checkText(value, field)
    if (headers.has(name.toLowerCase())) throw invalidField(field, 'must not be there twice')
    headers.set(name.toLowerCase(), value)
  }
  return headers.size === 0 ? {} : { headers: Object.fromEntries(headers) }
}

function check(credentials: Credentials, { type }: Source, base: string) {
  const { required = [], optional = [] } = sourceTable[type].credentials ?? {}
  const given = Object.entries(credentials) as [CredentialName, unknown][]
  for (const [name, value] of given) {
    const path = `${base}${name}`
    if (![...required, ...optional].includes(name)) throw invalidField(path, `is not a field of type ${type}`)
    if (typeof value !== 'string') continue
    if (name === 'header') checkHeader(value, path)
    checkText(value, path)
  }
  const missing = given.length > 0 && required.find((name) => credentials[name] === undefined)
  if (missing) throw invalidField(`${base}${missing}`, 'is required')
}

function checkHeader(name: string, path: string) {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) throw invalidField(path, 'must be the name of a header')
  if (isForbidden(name.toLowerCase()))
    throw invalidField(
      path,
      'must not be a header that routes, frames or forwards a request, such as Host or X-Forwarded-For',
    )
}

/** Credentials become request headers, so they must not contain line breaks. */
function checkText(value: string, path: string) {
  if (!/^[\x20-\x7e]+$/.test(value)) throw invalidField(path, 'must be of printable ASCII characters')
}

const isForbidden = (header: string) => forbiddenHeaders.has(header) || forbiddenPrefixes.test(header)
