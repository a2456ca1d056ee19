// The two drivers of the index port rank a real manual alike: part of the Python manual, with queries from its own index and
// readers' questions, through the complete search.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SearchIndex } from '../../services/index/search-index.ts'
import { openSegmentIndex } from '../../services/index/segments/segment-index.ts'
import { openWeaviateIndex } from '../../services/index/weaviate/weaviate-index.ts'
import { type Agreement, compare, openSearch, type Search } from '../bench/agreement/compare.ts'
import { readManualUnits, toPath } from '../bench/agreement/manual-units.ts'
import type { Query, QueryClass } from '../bench/quality/engine.ts'
import { readQueries } from '../bench/quality/queries.ts'
import { largeManuals } from '../bench/site/manuals.ts'
import { createFolder } from '../folder.ts'
import { isMissing, openWeaviateBackend } from '../servers/backend.ts'
import { project } from './search-index.suite.ts'

const manual = largeManuals[0]
const part = 'library/[a-c]*.html'
const maxQueriesPerClass = 60
/** Shares of queries with the same first result, and of common results among the first ten. */
const minima: Record<QueryClass, { sameFirst: number; overlap: number }> = {
  terms: { sameFirst: 0.95, overlap: 0.9 },
  prefixes: { sameFirst: 0.95, overlap: 0.9 },
  'typing errors': { sameFirst: 0.95, overlap: 0.9 },
  questions: { sameFirst: 0.85, overlap: 0.85 },
}

const isInstalled = existsSync(join(manual.root, 'index.html')) || process.env.CI !== undefined

describe.skipIf(!isInstalled || isMissing('weaviate'))('index drivers on a real manual', () => {
  const folder = createFolder()
  let backend: Awaited<ReturnType<typeof openWeaviateBackend>>
  const indexes: SearchIndex[] = []
  let searches: [Search, Search]
  let queries: Query[]

  beforeAll(async () => {
    backend = await openWeaviateBackend()
    const units = readManualUnits(manual, part)
    const pages = new Set(units.map(({ url }) => toPath(manual, url)))
    queries = readQueries(manual).filter((query) => [...query.pages].every((page) => pages.has(page)))
    indexes.push(
      await openSegmentIndex(folder),
      await openWeaviateIndex({ url: backend.url, grpc: backend.grpc, key: null }),
    )
    await indexes[1]!.drop(project)
    for (const index of indexes) await index.add(project, units)
    const [one, other] = await Promise.all(indexes.map((index) => openSearch(index, project)))
    searches = [one!, other!]
  })

  afterAll(async () => {
    for (const index of indexes) await index.close()
    await backend?.remove()
  })

  it('count the same terms', async () => {
    const [one, other] = await Promise.all(indexes.map((index) => index.vocabulary(project)))
    expect(other).toEqual(one)
  })

  for (const kind of Object.keys(minima)) {
    it(`agree on ${kind}`, async () => {
      const some = queries.filter((query) => query.class === kind).slice(0, maxQueriesPerClass)
      expect(some.length).toBeGreaterThan(5)
      // Weaviate does not rank what was written within the last second: see manual/production.md.
      await expect
        .poll(async () => isClose(await compare(searches, some, (url) => toPath(manual, url)), kind))
        .toEqual({ sameFirst: true, overlap: true, hits: true })
    })
  }
})

function isClose({ sameFirst, overlap, hits }: Agreement, kind: string) {
  const minimum = minima[kind as QueryClass]
  return {
    sameFirst: sameFirst >= minimum.sameFirst,
    overlap: overlap >= minimum.overlap,
    hits: Math.abs(hits[0] - hits[1]) <= 1 - minimum.sameFirst,
  }
}
