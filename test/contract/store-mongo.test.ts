// The store's contract on a server that speaks MongoDB's protocol; every case has its own database.
import { afterAll, beforeAll, describe } from 'vitest'
import { isMissing, openMongodbBackend } from '../servers/backend.ts'
import { databaseOf } from '../servers/mongodb-database.ts'
import { openTestStore } from '../servers/mongodb-store.ts'
import { testStore } from './store.suite.ts'
import { testSharedStore } from './store-shared.suite.ts'

describe.skipIf(isMissing('ferretdb'))('with MongoDB', () => {
  let server: Awaited<ReturnType<typeof openMongodbBackend>>
  let cases = 0
  beforeAll(async () => {
    server = await openMongodbBackend()
  })
  afterAll(() => server.remove())
  const nextDatabase = () => databaseOf(server.url, `contract_${process.pid}_${cases++}`)
  testStore('MongoDB', () => openTestStore(nextDatabase()))
  testSharedStore('MongoDB', async () => {
    const url = nextDatabase()
    // In sequence, because the stand-in panics if two cases create a collection concurrently.
    return [await openTestStore(url), await openTestStore(url)]
  })
})
