import { create } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AcceptInvitationRequestSchema } from '../../gen/lectern/v1/team_pb.js'
import { hashKey } from '../key/key-format.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { createTeamService } from './team-service.ts'

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
})
afterEach(() => store.close())

const whole = { offset: 0, limit: 100 }
const at = '2026-01-02T00:00:00.000Z'

let uuids = 0
async function accept(with_: Partial<Store>) {
  const token = `token ${++uuids}`
  await store.invitations.insert({
    uuid: `i${uuids}`,
    team: 't1',
    email: 'ann@d.example',
    role: 'viewer',
    creator: null,
    hash: hashKey(token),
    createdAt: at,
    expiresAt: '2026-01-09T00:00:00.000Z',
  })
  const service = createTeamService({
    store: { ...store, ...with_ },
    pageLimit: null,
    now: () => new Date(at),
    newUuid: () => `u${++uuids}`,
  })
  const request = create(AcceptInvitationRequestSchema, { token, name: 'Ann' })
  return service.acceptInvitation(request, {} as HandlerContext)
}

const away = async () => {
  throw new Error('the store is away')
}

it('has no member without a key, wherever accepting is cut off', async () => {
  await expect(accept({ keys: { ...store.keys, insert: away } })).rejects.toThrow('away')
  expect((await store.members.list('t1', whole)).count).toBe(0)
  await expect(accept({ members: { ...store.members, insert: away } })).rejects.toThrow('away')
  expect((await store.members.list('t1', whole)).count).toBe(0)

  const { member, key } = await accept({})
  const kept = await store.keys.byHash(hashKey(key!))
  expect(kept?.memberUuid).toBe(member?.uuid)
  expect((await store.members.list('t1', whole)).count).toBe(1)
})

it('leaves no key of who is a member already', async () => {
  await accept({})
  const { count } = await store.keys.list('t1', whole)
  await expect(accept({})).rejects.toMatchObject({ reason: 'member_exists' })
  expect((await store.keys.list('t1', whole)).count).toBe(count)
})
