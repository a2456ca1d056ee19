import { expect, test } from 'vitest'
import { readConfig, toServiceAddresses } from './config.ts'

test('lists the ports of Lectern and of every server that it uses', () => {
  const config = readConfig({
    LECTERN_HTTP: '0.0.0.0:8080',
    LECTERN_MONGODB_URL: 'mongodb://user:p%40ss@mongo-a:27018,mongo-b,[::1]:27019/lectern?replicaSet=x',
    LECTERN_ADMIN_KEY: 'abcdefghijklmnop',
    LECTERN_SECRET: Buffer.alloc(32, 7).toString('base64'),
    LECTERN_WEAVIATE_URL: 'https://weaviate.corp',
    LECTERN_WEAVIATE_GRPC: 'weaviate.corp:50051',
    LECTERN_TEMPORAL_ADDRESS: 'temporal:7233',
    LECTERN_CORE_URL: 'http://core:50051',
    LECTERN_LLM_PROVIDER: 'openai-compatible',
    LECTERN_LLM_URL: 'http://10.0.0.5:8000/v1',
    LECTERN_LLM_MODEL: 'm',
    LECTERN_EMBEDDINGS_URL: 'http://localhost:8001',
    LECTERN_EMBEDDINGS_MODEL: 'e',
  })
  expect(toServiceAddresses(config).map(({ host, port }) => `${host} ${port}`)).toEqual([
    '0.0.0.0 8080',
    '127.0.0.1 50051',
    'weaviate.corp 443',
    '10.0.0.5 8000',
    'localhost 8001',
    'core 50051',
    'weaviate.corp 50051',
    'temporal 7233',
    'mongo-a 27018',
    'mongo-b 27017',
    '::1 27019',
  ])
})
