// The two collections: units of all projects, and their vectors. In both a project has tenants of its own, so that nothing of
// another is ever searched, and a project goes as a whole.
import { configure, type WeaviateClient } from 'weaviate-client'

export const unitCollection = 'LecternUnit'
export const vectorCollection = 'LecternVector'

const kept = { dataType: 'text', indexSearchable: false, indexFilterable: false } as const
const searched = {
  dataType: 'text',
  tokenization: 'whitespace',
  indexSearchable: true,
  indexFilterable: false,
} as const
const filtered = {
  dataType: 'text',
  tokenization: 'field',
  indexSearchable: false,
  indexFilterable: true,
} as const

const facets = ['pageVersion', 'sourceType', 'docVersion', 'language'].map((name) => ({ name, ...filtered }))

const tenants = configure.multiTenancy({
  enabled: true,
  autoTenantCreation: true,
  autoTenantActivation: true,
})

const unitDefinition = {
  name: unitCollection,
  properties: [
    { name: 'terms', ...searched },
    { name: 'text', ...kept },
    { name: 'head', ...kept },
    ...facets,
  ],
  invertedIndex: configure.invertedIndex({
    // As in segments/posting.ts.
    bm25k1: 1.2,
    bm25b: 0.75,
    stopwordsPreset: 'none',
    indexTimestamps: false,
  }),
  // Its objects have no vectors: those are in the other collection, where they can go without the units.
  vectorizers: configure.vectors.selfProvided({ vectorIndexConfig: configure.vectorIndex.flat() }),
  multiTenancy: tenants,
}

const vectorDefinition = {
  name: vectorCollection,
  properties: facets,
  vectorizers: configure.vectors.selfProvided({
    vectorIndexConfig: configure.vectorIndex.hnsw({ distanceMetric: 'cosine' }),
  }),
  multiTenancy: tenants,
}

/** Makes the collections that are not there yet; any number of processes may do so at once. */
export async function ensureCollections(client: WeaviateClient): Promise<void> {
  for (const definition of [unitDefinition, vectorDefinition]) {
    if (await client.collections.exists(definition.name)) continue
    await client.collections.create(definition as never).catch(async (error) => {
      // Another process was faster.
      if (!(await client.collections.exists(definition.name))) throw error
    })
  }
}
