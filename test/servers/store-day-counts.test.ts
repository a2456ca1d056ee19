// Daily counts that an earlier Lectern wrote to MongoDB, in other fields.
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withTurn } from '../contract/store-chat-case.ts'
import { isMissing, openMongodbBackend } from './backend.ts'
import { databaseOf } from './mongodb-database.ts'
import { openTestStore } from './mongodb-store.ts'

describe.skipIf(isMissing('ferretdb'))('daily counts of an earlier version', { timeout: 120_000 }, () => {
  let server: Awaited<ReturnType<typeof openMongodbBackend>>
  let client: MongoClient
  beforeAll(async () => {
    server = await openMongodbBackend()
    client = await new MongoClient(server.url).connect()
  })
  afterAll(async () => {
    await client.close()
    await server.remove()
  })

  test('name nobody whose chats are erased', async () => {
    const name = `former_counts_${process.pid}`
    const store = await openTestStore(databaseOf(server.url, name))
    await withTurn(store)
    const days = client.db(name).collection('chat_days')
    const counts = { user: { sums: 1, keys: '["ann@docs.test"]' } }
    await days.updateMany({}, { $set: { isKept: true, counts } })

    expect(await store.chats.deleteByEmail('p1', 'ann@docs.test')).toBe(1)
    expect(JSON.stringify(await days.find().toArray())).not.toContain('ann@docs.test')
    await store.close()
  })
})
