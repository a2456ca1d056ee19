// How long a key lasts that was created with another key, and which projects it may use.
import { randomUUID } from 'node:crypto'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { key, project } from '../../test/contract/store-case.ts'
import { toHandlerContext } from '../../test/handler-context.ts'
import type { Caller } from '../context.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import type { Key } from '../store/team.ts'
import { grantor, grantsUntil } from './key-format.ts'
import { createKeyService } from './key-service.ts'

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
})
afterEach(() => store.close())

const on = (day: number) => new Date(Date.UTC(2027, 0, day)).toISOString()

/** Creates a key with one that expires at `parent`, and returns when the new key expires. */
async function made(parent: string | null, expiresAt: string | null) {
  const maker = key('maker', { expiresAt: parent })
  const context = toContextOf({ key: maker, permissions: new Set(['search'] as const) })
  const until = expiresAt && { expiresAt: timestampFromDate(new Date(expiresAt)) }
  await openService().createKey({ name: 'child', permissions: ['search'], ...until } as never, context)
  return (await store.keys.list('t1', { offset: 0, limit: 1 })).rows[0]!.expiresAt
}

it.each([
  [null, null],
  [null, on(9)],
  [on(9), on(9)],
  [on(9), on(8)],
])('a key that expires at %s creates one that expires at %s', async (parent, expiresAt) => {
  expect(await made(parent, expiresAt)).toBe(expiresAt)
})

it.each([
  [on(9), null],
  [on(9), on(10)],
])('a key that expires at %s cannot create one that expires at %s', async (parent, expiresAt) => {
  await expect(made(parent, expiresAt)).rejects.toMatchObject({
    reason: 'permission_denied',
    fields: { expires_at: [`must be at most that of your own key, ${on(9)}`] },
  })
  expect((await store.keys.list('t1', { offset: 0, limit: 1 })).count).toBe(0)
})

/** Creates a key for `projects` with one that has this scope (slugs, or null for the whole team). */
async function makes(scope: string[] | null, projects: string[] | null) {
  await store.projects.insert(project('p1', { slug: 'one' }))
  await store.projects.insert(project('p2', { slug: 'two' }))
  await store.projects.insert(project('p3', { slug: 'three', team: 't2' }))
  const caller = { key: key('maker'), permissions: new Set(['search'] as const), projects: scope }
  const slugs = projects && { projects: { slugs: projects } }
  const request = { name: 'child', permissions: ['search'], ...slugs }
  await openService().createKey(request as never, toContextOf(caller))
  return (await store.keys.list('t1', { offset: 0, limit: 1 })).rows[0]!.projects
}

it.each([
  [null, null, null],
  [null, ['one', 'two'], ['p1', 'p2']],
  [['p1'], ['one'], ['p1']],
  [['p1', 'p2'], ['two'], ['p2']],
])('a key scoped to %j creates one for %j', async (scope, projects, expected) => {
  expect(await makes(scope, projects)).toEqual(expected)
})

it.each([
  [['p1'], null, 'permission_denied', 'projects'],
  [['p1'], ['two'], 'invalid', 'projects[0]'],
  [['p1'], ['one', 'two'], 'invalid', 'projects[1]'],
  [null, ['three'], 'invalid', 'projects[0]'],
  [null, ['none'], 'invalid', 'projects[0]'],
])('a key scoped to %j cannot create one for %j', async (scope, projects, reason, field) => {
  await expect(makes(scope, projects)).rejects.toMatchObject({
    reason,
    fields: { [field]: expect.anything() },
  })
  expect((await store.keys.list('t1', { offset: 0, limit: 1 })).count).toBe(0)
})

it('looks up the slugs of all projects in a list of keys at once', async () => {
  await store.projects.insert(project('p1', { slug: 'one' }))
  await store.projects.insert(project('p2', { slug: 'two' }))
  await store.keys.insert(key('k1', { projects: ['p1', 'p2'] }))
  await store.keys.insert(key('k2', { projects: ['p2', 'gone'] }))
  const asked: string[][] = []
  const slugs = (uuids: string[]) => {
    asked.push(uuids)
    return store.projects.slugs(uuids)
  }
  const projects = { slugs } as Store['projects']
  const service = openService({ store: { ...store, projects } })
  const { results } = await service.listKeys({ offset: 0 } as never, toContextOf({}))
  expect(results!.map((row) => row.projects?.slugs)).toEqual([['two'], ['one', 'two']])
  expect(asked).toHaveLength(1)
})

it('a sign-in link lasts ten minutes, its key twelve hours, and a later link deletes both', async () => {
  let at = Date.UTC(2027, 0, 1)
  const service = openService({ now: () => new Date(at) })
  const context = toContextOf({ permissions: new Set(['keys_create'] as const), projects: ['p1'] })
  const link = async () => (await service.createSignInLink({} as never, context)).token as string
  const signIn = async (token: string) => service.signIn({ token } as never, context)
  const names = async () =>
    (await store.keys.list('t1', { offset: 0, limit: 9 })).rows.map(({ name }) => name)

  const token = await link()
  at += 10 * 60_000
  await expect(signIn(token)).rejects.toMatchObject({ reason: 'not_found' })
  const { key } = await signIn(await link())
  expect(key).toMatchObject({ name: 'Console, 2027-01-01', permissions: ['keys_create'] })
  expect((await store.keys.list('t1', { offset: 0, limit: 1 })).rows[0]).toMatchObject({
    ...{ uuid: key!.uuid, projects: ['p1'], expiresAt: '2027-01-01T12:10:00.000Z' },
  })
  at += 12 * 60 * 60_000 - 1
  await link()
  expect(await names()).toEqual(['Console link', 'Console, 2027-01-01'])
  at += 10 * 60_000
  await link()
  expect(await names()).toEqual(['Console link'])
})

it('a session has the permissions of the key that created its link, and names that key', async () => {
  const service = openService()
  const signInWith = async (maker: Key | null) => {
    const caller = { permissions: new Set(['keys_create'] as const), key: maker }
    const { token } = await service.createSignInLink({} as never, toContextOf(caller))
    const { key } = await service.signIn({ token } as never, toContextOf({}))
    return (await store.keys.get('t1', key!.uuid!))!
  }
  const session = await signInWith(key('maker'))
  expect(session.expiresAt).not.toBeNull()
  expect([grantor(session), grantsUntil(session)]).toEqual(['maker', null])
  expect(grantor(await signInWith(session))).toBe('maker')
  expect(grantor(await signInWith(await signInWith(null)))).toBeNull()
  const context = toContextOf({ permissions: new Set(['search'] as const), key: session })
  const { key: made } = await service.createKey({ name: 'x', permissions: ['search'] } as never, context)
  expect(await store.keys.get('t1', made!.uuid!)).toMatchObject({ expiresAt: null, signedInBy: null })
})

it('keeps a key that only has the name of a console key', async () => {
  await store.keys.insert(key('named', { name: 'Console, 2027-01-01', expiresAt: on(1) }))
  const service = openService({ now: () => new Date(on(9)) })
  await service.createSignInLink({} as never, toContextOf({}))
  expect(await store.keys.get('t1', 'named')).not.toBeNull()
})

it('a key that expires cannot create a sign-in link', async () => {
  const service = openService()
  const context = toContextOf({ key: key('maker', { expiresAt: on(9) }) })
  await expect(service.createSignInLink({} as never, context)).rejects.toMatchObject({
    reason: 'permission_denied',
  })
})

function openService(change: Partial<Parameters<typeof createKeyService>[0]> = {}) {
  return createKeyService({ store, now: () => new Date(), newUuid: randomUUID, ...change })
}

const toContextOf = (caller: Partial<Caller>) => toHandlerContext({ caller })
