// The tests of the public interface once more, on MongoDB, Weaviate and Temporal: what a client sees does not tell the drivers apart.
import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { useBackends } from '../e2e/lectern-process.ts'
import { serversAvailable } from './available.ts'
import { openMongodbBackend, openWeaviateBackend } from './backend.ts'
import { databaseOf } from './mongodb-database.ts'
import { openTemporal } from './temporal.ts'

const files = [
  '../e2e/rest-v2.test.ts',
  '../e2e/rest-resources.test.ts',
  '../e2e/rest-answers.test.ts',
  '../e2e/rest-chat.test.ts',
  '../e2e/rest-chats.test.ts',
  '../e2e/rest-chat-changes.test.ts',
  '../e2e/rest-operation.test.ts',
  '../e2e/rest-v1.test.ts',
  '../e2e/rest-v1-chats.test.ts',
  '../e2e/rest-v1-sources.test.ts',
  '../e2e/chat-socket.test.ts',
  '../e2e/chat-socket-refusals.test.ts',
  '../e2e/chat-readers.test.ts',
  '../e2e/chat-conversation.test.ts',
  '../e2e/team.test.ts',
  '../e2e/analytics.test.ts',
  '../e2e/chat-analytics.test.ts',
  '../mcp/mcp.test.ts',
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
  }, 180_000)
  afterAll(async () => {
    for (const server of servers) await server.remove()
  })

  for (const file of files) describe(basename(file), () => import(file))
})
