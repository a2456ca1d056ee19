// Who calls: reads the key and what the gateway says (decisions.md sections 1 and 4). A key that is no good is noted,
// not refused: whether a key is needed is the contract's to say (admit.ts).
import { createHash, timingSafeEqual } from 'node:crypto'
import { type Caller, createStranger, type Origin } from '../context.ts'
import { DomainError } from '../errors.ts'
import { hashKey, readKey } from '../key/key-format.ts'
import { permissions, readPermission } from '../key/permissions.ts'
import type { Store } from '../store/store.ts'

export interface IdentifyDeps {
  store: Pick<Store, 'keys' | 'teams'>
  adminKey: string
  /** See caller-signature.ts. */
  readOrigin(header: string | null): Origin | null
  now(): Date
  /** Told of what went wrong beside the call; the call goes on. */
  report(error: unknown): void
}

/** A key's lastUsedAt is written at most this often. */
const touchEveryMs = 60_000

/** Creates the reader of callers. `peer` is the network address that the request came from. */
export function createIdentify(deps: IdentifyDeps): (header: Headers, peer: string) => Promise<Caller> {
  const adminDigest = digest(deps.adminKey)

  return async (header, peer) => {
    const origin = deps.readOrigin(header.get('lectern-caller'))
    const stranger = createStranger(
      origin ?? { surface: 'grpc', address: peer, origin: header.get('origin'), connection: null },
      origin !== null,
    )
    const authorization = header.get('authorization')
    if (!authorization) return stranger
    const text = /^api-key +(\S+)$/i.exec(authorization.trim())?.[1]
    if (!text) return { ...stranger, keyFault: 'The header authorization must read: Api-Key <key>.' }
    if (timingSafeEqual(digest(text), adminDigest)) return asAdmin(stranger, header.get('x-lectern-team'))
    return withKey(stranger, text)
  }

  async function asAdmin(stranger: Caller, teamUuid: string | null): Promise<Caller> {
    const team = teamUuid ? await deps.store.teams.get(teamUuid) : await deps.store.teams.first()
    if (!team)
      throw new DomainError('not_found', 'There is no such team.', { 'x-lectern-team': ['is unknown'] })
    return { ...stranger, team: team.uuid, admin: true, permissions: new Set(permissions) }
  }

  async function withKey(stranger: Caller, text: string): Promise<Caller> {
    const key = readKey(text) && (await deps.store.keys.byHash(hashKey(text)))
    if (!key) return { ...stranger, keyFault: 'The API key is unknown or revoked.' }
    const now = deps.now()
    if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime()) {
      return { ...stranger, keyFault: 'The API key has expired.' }
    }
    if (key.lastUsedAt === null || now.getTime() - Date.parse(key.lastUsedAt) >= touchEveryMs) {
      deps.store.keys.touch(key.uuid, now.toISOString()).catch(deps.report)
    }
    return {
      ...stranger,
      key,
      team: key.team,
      permissions: new Set(key.permissions.map(readPermission).filter((name) => name !== null)),
      projects: key.projects,
    }
  }
}

/** Digests have one length, whatever the keys have, so that comparing them tells nothing by its time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
