// Databases on a MongoDB server, and their addresses.
import { type Db, MongoClient } from 'mongodb'
import { afterAll, beforeAll } from 'vitest'
import type { MongoDb } from '../../services/store/mongo/connection.ts'
import { openMongodbBackend } from './backend.ts'

/** A server for the tests of a `describe`, and new databases on it. */
export function useMongodb(): { create(): { url: string; db: Db & MongoDb } } {
  let server: Awaited<ReturnType<typeof openMongodbBackend>>
  let client: MongoClient
  let count = 0
  beforeAll(async () => {
    server = await openMongodbBackend()
    client = await new MongoClient(server.url).connect()
  })
  afterAll(async () => {
    await client?.close()
    await server?.remove()
  })
  return {
    create() {
      const name = `test_${process.pid}_${count++}`
      return { url: databaseOf(server.url, name), db: client.db(name) as Db & MongoDb }
    },
  }
}

/** `url` with or without a database; keeps its options. */
export function databaseOf(url: string, name: string): string {
  const parts = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url)
  if (parts === null) throw new Error('not an address of MongoDB')
  return `${parts[1]}/${name}${parts[2] ?? ''}`
}
