// A source of type openapi on MongoDB, Weaviate and Temporal: read, found, and left alone where it has not changed.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LecternProcess, runEnded, startLectern } from '../e2e/lectern-process.ts'
import { openSite, type Site } from '../e2e/site.ts'
import { openapi3 } from '../openapi/pets.ts'
import { serversAvailable } from './available.ts'
import { openMongodbBackend, openWeaviateBackend } from './backend.ts'
import { databaseOf } from './mongodb-database.ts'
import { openTemporal } from './temporal.ts'

describe.skipIf(!serversAvailable)('an API description on servers', () => {
  let servers: { remove(): Promise<void> }[] = []
  let site: Site
  let lectern: LecternProcess

  beforeAll(async () => {
    const [mongodb, weaviate, temporal] = await Promise.all([
      openMongodbBackend(),
      openWeaviateBackend(),
      openTemporal(),
    ])
    servers = [mongodb, weaviate, temporal]
    site = await openSite()
    lectern = await startLectern({
      env: {
        LECTERN_MONGODB_URL: databaseOf(mongodb.url, `openapi${process.pid}`),
        LECTERN_WEAVIATE_URL: weaviate.url,
        LECTERN_WEAVIATE_GRPC: weaviate.grpc,
        LECTERN_TEMPORAL_ADDRESS: temporal.address,
        LECTERN_SECRET: randomBytes(32).toString('base64'),
      },
    })
  }, 180_000)
  afterAll(async () => {
    await lectern?.remove()
    await site?.close()
    for (const server of servers) await server.remove()
  })

  async function sync() {
    const { body } = await lectern.call('POST', '/api/v2/projects/store/sync/')
    return runEnded(lectern, 'store', body.uuid)
  }

  it('is read once, searched, and changes where it differs', async () => {
    const description = structuredClone(openapi3)
    site.pages.set('/store.json', JSON.stringify(description))
    const url = `${site.url}store.json`
    await lectern.call('POST', '/api/v2/projects/', { name: 'Store', slug: 'store' })
    await lectern.call('POST', '/api/v2/projects/store/sources/', { type: 'openapi', url })
    expect(await sync()).toMatchObject({ status: 'completed', pages: { added: 6, failed: 0 } })
    const { body } = await lectern.call('GET', '/api/v2/projects/store/search/?q=listPets')
    expect(body.results[0]).toMatchObject({ url: `${url}#/pets/listPets`, source_type: 'openapi' })

    description.paths['/pets'].get.summary = 'List some pets'
    site.pages.set('/store.json', JSON.stringify(description))
    expect(await sync()).toMatchObject({
      status: 'completed',
      pages: { unchanged: 5, updated: 1, removed: 0 },
    })
  }, 180_000)
})
