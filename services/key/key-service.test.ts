// How long a key lasts that was made by a key.
import { randomUUID } from 'node:crypto'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { key } from '../../test/contract/store-case.ts'
import { callerKey, createStranger } from '../context.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { createKeyService } from './key-service.ts'

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
})
afterEach(() => store.close())

const on = (day: number) => new Date(Date.UTC(2027, 0, day)).toISOString()

/** Makes a key with one that lasts until `parent`; answers until when it lasts itself. */
async function made(parent: string | null, expiresAt: string | null) {
  const service = createKeyService({ store, now: () => new Date(), newUuid: randomUUID })
  const stranger = createStranger({ surface: 'v2', address: '', origin: null, connection: null }, true)
  const maker = key('maker', { expiresAt: parent })
  const caller = { ...stranger, team: 't1', key: maker, permissions: new Set(['search'] as const) }
  const context = { values: createContextValues().set(callerKey, caller) } as HandlerContext
  const until = expiresAt && { expiresAt: timestampFromDate(new Date(expiresAt)) }
  await service.createKey({ name: 'child', permissions: ['search'], ...until } as never, context)
  return (await store.keys.list('t1', { offset: 0, limit: 1 })).rows[0]!.expiresAt
}

it.each([
  [null, null],
  [null, on(9)],
  [on(9), on(9)],
  [on(9), on(8)],
])('a key until %s makes one until %s', async (parent, expiresAt) => {
  expect(await made(parent, expiresAt)).toBe(expiresAt)
})

it.each([
  [on(9), null],
  [on(9), on(10)],
])('a key until %s does not make one until %s', async (parent, expiresAt) => {
  await expect(made(parent, expiresAt)).rejects.toMatchObject({
    reason: 'permission_denied',
    fields: { expires_at: [`must be at most that of your own key, ${on(9)}`] },
  })
  expect((await store.keys.list('t1', { offset: 0, limit: 1 })).count).toBe(0)
})
