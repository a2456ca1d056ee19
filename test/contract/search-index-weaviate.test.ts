// The index port's suites on a real Weaviate, selected by test/servers/backend.ts. Drops all projects on it.
import { afterAll, beforeAll, describe } from 'vitest'
import { openWeaviateIndex } from '../../services/index/weaviate/weaviate-index.ts'
import { isMissing, openWeaviateBackend } from '../servers/backend.ts'
import { cases, searchIndexSuite } from './search-index.suite.ts'
import { vectorCases } from './search-index-vectors.suite.ts'

describe.skipIf(isMissing('weaviate'))('index on Weaviate', () => {
  let backend: Awaited<ReturnType<typeof openWeaviateBackend>>
  beforeAll(async () => {
    backend = await openWeaviateBackend()
  })
  afterAll(() => backend?.remove())

  async function openEmpty() {
    const index = await openWeaviateIndex({ url: backend.url, grpc: backend.grpc, key: null })
    for (const project of await index.projects()) await index.drop(project)
    return index
  }

  searchIndexSuite('units', cases, openEmpty)
  searchIndexSuite('vectors', vectorCases, openEmpty)
})
