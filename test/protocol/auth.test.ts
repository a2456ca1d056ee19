// Who may call what, case by case.
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { describe, expect, it } from 'vitest'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { KeyService } from '../../gen/lectern/v1/key_pb.js'
import { SearchService } from '../../gen/lectern/v1/search_pb.js'
import { SyncService } from '../../gen/lectern/v1/sync_pb.js'
import { TeamService } from '../../gen/lectern/v1/team_pb.js'
import { toContext } from '../../services/context.ts'
import { addKey, adminKey, inMemory, projects, signCaller } from './core.ts'

const keys = {
  none: null,
  admin: adminKey,
  'admin in blue': adminKey,
  unknown: (await addKey({})).replace(/.{36}$/, '0'.repeat(36)),
  nonsense: 'hello',
  expired: await addKey({ permissions: ['search', 'sync_read'], expiresAt: '2026-11-21T12:00:00.000Z' }),
  empty: await addKey({}),
  search: await addKey({ permissions: ['search'], expiresAt: '2026-11-21T12:00:01.000Z' }),
  'legacy search': await addKey({ permissions: ['project_search'] }),
  sync_read: await addKey({ permissions: ['sync_read'] }),
  'blue search': await addKey({ team: 'blue', permissions: ['search', 'sync_read'] }),
} as const

type KeyName = keyof typeof keys

function headersOf(name: KeyName): Record<string, string> {
  const key = keys[name]
  return {
    ...(key && { authorization: `Api-Key ${key}` }),
    ...(name === 'admin in blue' && { 'x-lectern-team': 'blue' }),
  }
}

/** `ok`, or the error code. */
async function outcome(call: PromiseLike<unknown>): Promise<string> {
  try {
    await call
    return 'ok'
  } catch (error) {
    return Code[ConnectError.from(error).code] ?? ''
  }
}

const search = createClient(SearchService, inMemory)
const sync = createClient(SyncService, inMemory)

// For every operation with valid keys see permission-matrix.test.ts.
describe('search (open on a public project) and following a run (never open)', () => {
  const { public: open, private: closed, foreign } = projects
  it.each<[KeyName, string, string, string]>([
    // key, project, search, sync
    ['none', 'no-such', 'NotFound', 'Unauthenticated'],
    ['nonsense', open.slug, 'ok', 'Unauthenticated'],
    ['nonsense', closed.slug, 'Unauthenticated', 'Unauthenticated'],
    ['expired', open.slug, 'ok', 'Unauthenticated'],
    ['expired', closed.slug, 'Unauthenticated', 'Unauthenticated'],
    ['empty', open.slug, 'ok', 'PermissionDenied'],
    ['empty', closed.slug, 'PermissionDenied', 'PermissionDenied'],
    ['legacy search', closed.slug, 'ok', 'PermissionDenied'],
    ['search', 'no-such', 'NotFound', 'NotFound'],
    ['admin', closed.slug, 'ok', 'ok'],
    ['admin', foreign.slug, 'NotFound', 'NotFound'],
    ['admin in blue', foreign.slug, 'ok', 'ok'],
    ['admin in blue', closed.slug, 'NotFound', 'NotFound'],
    ['admin', '', 'InvalidArgument', 'InvalidArgument'],
  ])('%s on %s', async (key, slug, searched, watched) => {
    const headers = headersOf(key)
    expect(await outcome(search.search({ slug, q: 'x' }, { headers }))).toBe(searched)
    const watch = async () => {
      for await (const _ of sync.watchSync({ slug }, { headers }));
    }
    expect(await outcome(watch())).toBe(watched)
  })

  it('treats a foreign key on a public project like no key', async () => {
    const seen = async (key: KeyName) =>
      (await search.search({ slug: open.slug, q: 'x' }, { headers: headersOf(key) })).results[0]?.fragment
    expect(await seen('blue search')).toContain('no key')
    expect(await seen('search')).not.toContain('no key')
  })
})

describe('RPCs without a project', () => {
  it('needs no key to accept an invitation', async () => {
    const call = createClient(TeamService, inMemory).acceptInvitation({ token: 't', name: 'n' })
    expect(await outcome(call)).toBe('ok')
  })

  it('returns NotFound for an unknown team', async () => {
    const headers = { authorization: `Api-Key ${adminKey}`, 'x-lectern-team': 'green' }
    expect(await outcome(createClient(KeyService, inMemory).listKeys({}, { headers }))).toBe('NotFound')
  })
})

it('rejects a key whose member was removed', async () => {
  const authorization = `Api-Key ${await addKey({ memberUuid: 'gone', permissions: ['keys_read'] })}`
  const call = createClient(KeyService, inMemory).listKeys({}, { headers: { authorization } })
  expect(await outcome(call)).toBe('Unauthenticated')
})

it('passes a restore token to the handler, and rejects callers without one', async () => {
  const chats = createClient(ChatService, inMemory)
  const slug = projects.private.slug
  expect(await outcome(chats.getChat({ slug, chatUuid: 'c' }))).toBe('Unauthenticated')
  expect(await outcome(chats.getChat({ slug, chatUuid: 'c', restoreToken: 't' }))).toBe('ok')
  expect(await outcome(chats.getChat({ slug: 'no-such', chatUuid: 'c', restoreToken: 't' }))).toBe('NotFound')
  expect(await outcome(chats.getChat({ chatUuid: 'c' }))).toBe('ok')
})

describe('the data of the gateway', () => {
  const origin = { surface: 'v1', address: '192.0.2.7', origin: null, connection: null } as const
  const seen = async (slug: string, caller: string) =>
    (await search.search({ slug, q: 'x' }, { headers: { 'lectern-caller': caller } })).results[0]?.fragment

  it('is trusted with its signature', async () => {
    expect(await seen('red-public', signCaller(origin))).toBe('red-public v1 192.0.2.7 no key')
  })

  it('is trusted in the context of a call within the process', async () => {
    const { results } = await search.search(
      { slug: 'red-public', q: 'x' },
      { contextValues: toContext(origin) },
    )
    expect(results[0]?.fragment).toBe('red-public v1 192.0.2.7 no key')
  })

  it('is ignored without a signature', async () => {
    const [, signature] = signCaller(origin).split('.')
    const forged = Buffer.from(JSON.stringify({ ...origin, at: Date.now() })).toString('base64url')
    for (const caller of ['', 'x', `${forged}.${signature}`, `${forged}.`, signCaller(origin).slice(0, -1)]) {
      expect(await seen('red-public', caller)).toBe('red-public grpc  no key')
    }
  })

  it('identifies a project by uuid only for v1 clients', async () => {
    const { uuid } = projects.public
    expect(await seen(uuid, signCaller(origin))).toContain('red-public')
    expect(await outcome(seen(uuid, signCaller({ ...origin, surface: 'v2' })))).toBe('NotFound')
  })
})
