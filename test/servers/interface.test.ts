// Runs the interface tests that start a Lectern process on MongoDB, Weaviate and Temporal: clients see no difference between drivers.
// The behavior of each resource on each driver is tested by the store's contract suite.
import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { closeSharedHarbor } from '../e2e/harbor.ts'
import { useBackends } from '../e2e/lectern-process.ts'
import { serversAvailable } from './available.ts'
import { openMongodbBackend, openWeaviateBackend } from './backend.ts'
import { databaseOf } from './mongodb-database.ts'
import { openTemporal } from './temporal.ts'

const files = [
  '../e2e/rest-v2.test.ts',
  '../mcp/mcp.test.ts',
  './source-types.suite.ts',
  // Last, because its Lectern stays until the end, and two would compete for work in Temporal's queue.
  '../e2e/chat-conversation.suite.ts',
]

describe.skipIf(!serversAvailable)('on servers', () => {
  let servers: { remove(): Promise<void> }[] = []

  beforeAll(async () => {
    const [mongodb, weaviate, temporal] = await Promise.all([
      openMongodbBackend(),
      openWeaviateBackend(),
      openTemporal(),
    ])
    servers = [mongodb, weaviate, temporal]
    const secret = randomBytes(32).toString('base64')
    useBackends((data) => ({
      LECTERN_MONGODB_URL: databaseOf(mongodb.url, basename(data)),
      LECTERN_WEAVIATE_URL: weaviate.url,
      LECTERN_WEAVIATE_GRPC: weaviate.grpc,
      LECTERN_TEMPORAL_ADDRESS: temporal.address,
      LECTERN_SECRET: secret,
    }))
  })
  afterAll(async () => {
    await closeSharedHarbor()
    for (const server of servers) await server.remove()
  })

  for (const file of files) describe(basename(file), () => import(file))
})
