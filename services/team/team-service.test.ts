import { create } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AcceptInvitationRequestSchema } from '../../gen/lectern/v1/team_pb.js'
import { toHandlerContext } from '../../test/handler-context.ts'
import { hashKey } from '../key/key-format.ts'
import { permissions } from '../permissions.ts'
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

it('has no member without a key, wherever accepting fails', async () => {
  await expect(accept({ keys: { ...store.keys, insert: away } })).rejects.toThrow('away')
  expect((await store.members.list('t1', whole)).count).toBe(0)
  await expect(accept({ members: { ...store.members, insert: away } })).rejects.toThrow('away')
  expect((await store.members.list('t1', whole)).count).toBe(0)

  const { member, key } = await accept({})
  const kept = await store.keys.byHash(hashKey(key!))
  expect(kept?.memberUuid).toBe(member?.uuid)
  expect((await store.members.list('t1', whole)).count).toBe(1)
})

it('keeps no key of a person who is already a member', async () => {
  await accept({})
  const { count } = await store.keys.list('t1', whole)
  await expect(accept({})).rejects.toMatchObject({ reason: 'member_exists' })
  expect((await store.keys.list('t1', whole)).count).toBe(count)
})

it('keeps one of two administrators who remove each other at once', async () => {
  for (const uuid of ['m1', 'm2']) {
    const email = `${uuid}@d.example`
    await store.members.insert({
      uuid,
      team: 't1',
      name: 'Ann',
      email,
      role: 'administrator',
      createdAt: at,
      revision: 1,
    })
  }
  const service = createTeamService({ store, pageLimit: null, now: () => new Date(at), newUuid: () => 'u' })
  const context = toHandlerContext({ caller: { permissions: new Set(permissions) } })
  const remove = (memberUuid: string) => service.deleteMember({ memberUuid } as never, context)
  const [one, two] = await Promise.allSettled([remove('m1'), remove('m2')])
  expect(one).toMatchObject({ status: 'fulfilled' })
  expect(two).toMatchObject({ status: 'rejected', reason: { reason: 'last_administrator' } })
  expect((await store.members.list('t1', whole)).rows.map(({ uuid }) => uuid)).toEqual(['m2'])
})
