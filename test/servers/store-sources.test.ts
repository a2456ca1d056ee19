// Sources that an earlier Lectern wrote to MongoDB: they knew nothing but their address.
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openMongoStore } from '../../services/store/mongo/mongo-store.ts'
import { project, source } from '../contract/store-case.ts'
import { isMissing, openMongodbBackend } from './backend.ts'
import { databaseOf } from './mongodb-database.ts'

describe.skipIf(isMissing('ferretdb'))('sources of an earlier version', () => {
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

  test('get what they lack, and their address may be shared', async () => {
    const name = `former_${process.pid}`
    const first = await openMongoStore(databaseOf(server.url, name))
    await first.projects.insert(project('p1'))
    await first.close()
    const sources = client.db(name).collection<{ _id: string }>('sources')
    await sources.createIndex(
      { project: 1, type: 1, url: 1 },
      { unique: true, name: 'project_1_type_1_url_1' },
    )
    const { uuid, identity: _, options: __, lastError: ___, ...former } = source('s1')
    await sources.insertOne({ _id: uuid, ...former })

    const store = await openMongoStore(databaseOf(server.url, name))
    expect(await store.sources.get('p1', 's1')).toEqual(source('s1'))
    await store.sources.insert(source('s2', { url: source('s1').url, identity: 'another' }))
    expect((await store.sources.all('p1')).map((row) => row.uuid)).toEqual(['s1', 's2'])
    await store.close()
  })
})
