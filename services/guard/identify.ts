// Identifies the caller by the API key and the gateway's header. An invalid key is noted, not rejected: whether a key is
// required depends on the RPC (admit.ts).
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Caller, createStranger, type Origin } from '../context.ts'
import { DomainError, rateLimited } from '../errors.ts'
import { hashKey, heldPermissions, isAdminSession, readKey } from '../key/key-format.ts'
import { toNetwork } from '../limit/network-key.ts'
import { createKeyGuesses } from '../limit/windows.ts'
import { permissions } from '../permissions.ts'
import type { Store } from '../store/store.ts'
import type { Key } from '../store/team.ts'

export interface IdentifyDeps {
  store: Pick<Store, 'keys' | 'teams' | 'members'>
  adminKey: string
  /** See createCallerVerifier. */
  readOrigin(header: string | null): Origin | null
  now(): Date
  /** Receives errors that do not fail the call. */
  report(error: unknown): void
}

const unknownKey = 'The API key is unknown or revoked.'

/** Minimum interval between writes of a key's lastUsedAt. */
const touchEveryMs = 60_000

/**
 * Creates a function that identifies the caller by the request's headers. `local`: set by a gateway in this process. `peer`: the
 * network address of the connection.
 */
export function createIdentify({ store, adminKey, readOrigin, now, report }: IdentifyDeps) {
  const adminHash = Buffer.from(hashKey(adminKey))
  const guesses = createKeyGuesses(() => now().getTime())

  return async (header: Headers, local: Origin | null, peer: string): Promise<Caller> => {
    const origin = local ?? readOrigin(header.get('lectern-caller'))
    const stranger = createStranger(
      origin ?? { surface: 'grpc', address: peer, origin: header.get('origin'), connection: null },
      origin !== null,
    )
    const authorization = header.get('authorization')
    if (!authorization) return stranger
    const text = /^api-key +(\S+)$/i.exec(authorization.trim())?.[1]
    if (!text) return faulty(stranger, 'The header authorization must read: Api-Key <key>.')
    const network = toNetwork(stranger.address)
    const hash = hashKey(text)
    if (timingSafeEqual(Buffer.from(hash), adminHash)) return asAdmin(stranger, header.get('x-lectern-team'))
    const wait = guesses.secondsShut(network, hash)
    if (wait > 0) {
      const refusal = rateLimited('Too many wrong API keys came from this address.', wait)
      return { ...stranger, keyFault: () => refusal }
    }
    const key = readKey(text) && (await store.keys.byHash(hash))
    if (!key) return faulty(stranger, unknownKey, () => guesses.wrong(network, hash))
    guesses.right(network, hash)
    return withKey(stranger, key)
  }

  async function asAdmin(stranger: Caller, teamUuid: string | null): Promise<Caller> {
    const team = teamUuid ? await store.teams.get(teamUuid) : await store.teams.first()
    if (!team)
      throw new DomainError('not_found', 'There is no such team.', { 'x-lectern-team': ['is unknown'] })
    return { ...stranger, team: team.uuid, admin: true, permissions: new Set(permissions) }
  }

  async function withKey(stranger: Caller, key: Key): Promise<Caller> {
    const at = now()
    if (key.expiresAt !== null && Date.parse(key.expiresAt) <= at.getTime()) {
      return faulty(stranger, 'The API key has expired.')
    }
    const granted = await heldPermissions(store, key)
    if (granted === null) return faulty(stranger, unknownKey)
    if (key.lastUsedAt === null || at.getTime() - Date.parse(key.lastUsedAt) >= touchEveryMs) {
      store.keys.touch(key.uuid, at.toISOString()).catch(report)
    }
    const admin = isAdminSession(key)
    return { ...stranger, key, admin, team: key.team, permissions: new Set(granted), projects: key.projects }
  }
}

function faulty(stranger: Caller, sentence: string, note = () => {}): Caller {
  function keyFault(): DomainError {
    note()
    return new DomainError('unauthenticated', sentence)
  }
  return { ...stranger, keyFault }
}

const callerHeader = 'lectern-caller'

/** Maximum age of a signature, and maximum clock skew. */
const maxAgeMs = 5 * 60_000

/**
 * Signs the gateway's description of its caller. Returns the value of the header `lectern-caller`: JSON in base64url, a dot, and
 * its HMAC-SHA256 with a key derived from `secret`, which is LECTERN_SECRET in base64.
 */
export function createCallerSigner(secret: string, now: () => Date): (origin: Origin) => string {
  const key = deriveKey(secret)
  return (origin) => {
    const text = Buffer.from(JSON.stringify({ ...origin, at: now().getTime() })).toString('base64url')
    return `${text}.${sign(key, text).toString('base64url')}`
  }
}

/** Creates a function that reads the header's value. Null if it is missing, forged or expired. */
export function createCallerVerifier(
  secret: string,
  now: () => Date,
): (value: string | null) => Origin | null {
  const key = deriveKey(secret)
  return (value) => {
    const [text, signature, ...rest] = value?.split('.') ?? []
    if (!text || !signature || rest.length > 0) return null
    const given = Buffer.from(signature, 'base64url')
    const right = sign(key, text)
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null
    const { at, ...origin } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Origin & { at: number }
    return Math.abs(now().getTime() - at) > maxAgeMs ? null : origin
  }
}

function deriveKey(secret: string): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(callerHeader).digest()
}

function sign(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
