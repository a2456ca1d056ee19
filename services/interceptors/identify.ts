// Who calls: reads the key and what the gateway says. A key that is no good is noted, not refused: whether a key is
// needed is the contract's to say (admit.ts).
import { timingSafeEqual } from 'node:crypto'
import { type Caller, createStranger, type Origin } from '../context.ts'
import { DomainError, rateLimited } from '../errors.ts'
import { hashKey, heldPermissions, readKey } from '../key/key-format.ts'
import { toNetwork } from '../limit/network-key.ts'
import { createKeyGuesses } from '../limit/windows.ts'
import { permissions } from '../permissions.ts'
import type { Key } from '../store/key.ts'
import type { Store } from '../store/store.ts'

export interface IdentifyDeps {
  store: Pick<Store, 'keys' | 'teams' | 'members'>
  adminKey: string
  /** See caller-signature.ts. */
  readOrigin(header: string | null): Origin | null
  now(): Date
  /** Told of what went wrong beside the call; the call goes on. */
  report(error: unknown): void
}

const unknownKey = 'The API key is unknown or revoked.'

/** A key's lastUsedAt is written at most this often. */
const touchEveryMs = 60_000

/** Who calls, by the request's header. `told`: by a gateway of this process; `peer`: the network address that it came from. */
export type Identify = (header: Headers, told: Origin | null, peer: string) => Promise<Caller>

export function createIdentify(deps: IdentifyDeps): Identify {
  const adminHash = Buffer.from(hashKey(deps.adminKey))
  const guesses = createKeyGuesses(() => deps.now().getTime())

  return async (header, told, peer) => {
    const origin = told ?? deps.readOrigin(header.get('lectern-caller'))
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
    const key = readKey(text) && (await deps.store.keys.byHash(hash))
    if (!key) return faulty(stranger, unknownKey, () => guesses.wrong(network, hash))
    guesses.right(network, hash)
    return withKey(stranger, key)
  }

  async function asAdmin(stranger: Caller, teamUuid: string | null): Promise<Caller> {
    const team = teamUuid ? await deps.store.teams.get(teamUuid) : await deps.store.teams.first()
    if (!team)
      throw new DomainError('not_found', 'There is no such team.', { 'x-lectern-team': ['is unknown'] })
    return { ...stranger, team: team.uuid, admin: true, permissions: new Set(permissions) }
  }

  async function withKey(stranger: Caller, key: Key): Promise<Caller> {
    const now = deps.now()
    if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime()) {
      return faulty(stranger, 'The API key has expired.')
    }
    const held = await heldPermissions(deps.store, key)
    if (held === null) return faulty(stranger, unknownKey)
    if (key.lastUsedAt === null || now.getTime() - Date.parse(key.lastUsedAt) >= touchEveryMs) {
      deps.store.keys.touch(key.uuid, now.toISOString()).catch(deps.report)
    }
    return {
      ...stranger,
      key,
      team: key.team,
      permissions: new Set(held),
      projects: key.projects,
    }
  }
}

function faulty(stranger: Caller, sentence: string, note = () => {}): Caller {
  function keyFault(): DomainError {
    note()
    return new DomainError('unauthenticated', sentence)
  }
  return { ...stranger, keyFault }
}
