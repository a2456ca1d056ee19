// A complete Lectern on a Weaviate that hangs, and that is killed in the middle of a sync.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWeaviateIndex } from '../../services/index/weaviate/weaviate-index.ts'
import { type LecternProcess, runEnded, startLectern } from '../e2e/lectern-process.ts'
import { openSite, type Site } from '../e2e/site.ts'
import { serversAvailable } from './available.ts'
import { holdPage, writePages } from './held-page.ts'
import { openWeaviate, type WeaviateServer } from './weaviate.ts'

const names = Array.from({ length: 30 }, (_, at) => `page${at}.html`)
const patient = { timeout: 90_000, interval: 500 }

describe.skipIf(!serversAvailable)('Lectern on Weaviate', () => {
  let weaviate: WeaviateServer
  let site: Site
  let lectern: LecternProcess

  beforeAll(async () => {
    weaviate = await openWeaviate()
    site = await openSite()
    writePages(site, names)
    const env = { LECTERN_WEAVIATE_URL: weaviate.url, LECTERN_WEAVIATE_GRPC: weaviate.grpc }
    lectern = await startLectern({ env })
    await lectern.call('POST', '/api/v2/projects/', { name: 'guide', slug: 'guide' })
    await lectern.call('POST', '/api/v2/projects/guide/sources/', { type: 'site', url: site.url })
  })
  afterAll(async () => {
    await lectern?.remove()
    await site?.close()
    await weaviate?.remove()
  })

  const search = (q: string) => lectern.call('GET', `/api/v2/projects/guide/search/?q=${q}`)

  it('completes a sync in which Weaviate was killed, with every page once', async () => {
    const held = holdPage(site, '/page20.html')
    const { body } = await lectern.call('POST', '/api/v2/projects/guide/sync/')
    await held.asked
    await weaviate.kill()
    held.release()
    await weaviate.start()
    const run = await runEnded(lectern, 'guide', body.uuid)
    expect(run).toMatchObject({
      status: 'completed',
      pages: { pending: 0, failed: 0, added: names.length + 1 },
    })
    const index = await openWeaviateIndex({ url: weaviate.url, grpc: weaviate.grpc, key: null })
    const project = (await lectern.call('GET', '/api/v2/projects/guide/')).body.uuid
    const pages: string[] = []
    for await (const { page } of index.versions(project)) pages.push(page)
    await index.close()
    expect(pages).toHaveLength(names.length + 1)
    expect(new Set(pages).size).toBe(names.length + 1)
    for (const name of names) {
      const { status, body: found } = await search(name)
      expect([status, found.results[0]?.url], name).toEqual([200, expect.stringContaining(name)])
    }
  })

  it('answers 503 while Weaviate hangs, serves everything else, and searches again afterwards', async () => {
    await weaviate.pause()
    for (let asked = 0; asked < 3; asked++) {
      const answer = await search('page7')
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect(JSON.stringify(answer)).not.toMatch(/weaviate|127\.0\.0\.1|grpc/i)
    }
    expect((await lectern.call('GET', '/api/v2/projects/guide/')).status).toBe(200)
    weaviate.resume()
    await expect.poll(async () => (await search('page7')).status, patient).toBe(200)
  })
})
