import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openSegmentIndex } from '../../services/index/segments/segment-index.ts'
import { openWeaviateIndex } from '../../services/index/weaviate/weaviate-index.ts'
import { createSearch } from '../../services/search/search.ts'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import { exportStore, importStore } from '../../services/transfer/archive.ts'
import type { Target } from '../../services/transfer/kinds.ts'
import { at } from '../contract/store-case.ts'
import { createFolder } from '../folder.ts'
import { noVectors } from '../no-vectors.ts'
import { fillStore, rowsIn } from '../sync/filled-store.ts'
import { unfiltered } from '../unfiltered.ts'
import { isMissing, openMongodbBackend, openWeaviateBackend } from './backend.ts'
import { openTestStore } from './mongodb-store.ts'

describe.skipIf(isMissing('ferretdb') || isMissing('weaviate'))('moving to servers and back', () => {
  const folder = createFolder()
  const open: (() => Promise<unknown>)[] = []

  afterAll(async () => {
    for (const close of open.toReversed()) await close()
  })

  const kept = async (target: Target): Promise<Target> => {
    open.push(target.store.close, target.index.close)
    return target
  }

  const openEmbedded = async (name: string) =>
    kept({ store: await openSqliteStore(':memory:'), index: await openSegmentIndex(join(folder, name)) })

  async function openServers(): Promise<Target> {
    const [mongodb, weaviate] = await Promise.all([openMongodbBackend(), openWeaviateBackend()])
    open.push(mongodb.remove, weaviate.remove)
    const url = new URL(mongodb.url)
    url.pathname = `/moving-${process.pid}`
    return kept({
      store: await openTestStore(url.href),
      index: await openWeaviateIndex({ url: weaviate.url, grpc: weaviate.grpc, key: null }),
    })
  }

  const now = () => new Date(at(60))
  const quiet = { secret: 'same', progress: () => {} }

  const move = async (from: Target, to: Target, name: string) => {
    const path = join(folder, name)
    await exportStore({ store: from.store, path, now, ...quiet })
    return importStore({ ...to, path, isOtherSecret: false, ...quiet })
  }

  async function found(target: Target) {
    const { search } = createSearch({ ...target, questionVectors: noVectors })
    const answers = await Promise.all(
      ['harbors lights', 'page-08', 'shipz', '港の灯'].map((q) =>
        search({ project: 'p1', q, limit: 5, ...unfiltered }),
      ),
    )
    return answers.map(({ results }) => results.map(({ url }) => url))
  }

  test('counts, rows and results are the same on each side', async () => {
    const [before, servers, after] = [
      await openEmbedded('before'),
      await openServers(),
      await openEmbedded('after'),
    ]
    await fillStore(before)
    const there = await move(before, servers, 'there')
    const back = await move(servers, after, 'back')
    expect(back).toEqual(there)
    expect(await rowsIn(join(folder, 'back'))).toEqual(await rowsIn(join(folder, 'there')))
    const expected = await found(before)
    expect(expected.map((urls) => urls.length)).toEqual([5, 5, 5, 1])
    expect(await found(after)).toEqual(expected)
    const onServers = await found(servers)
    expect(onServers.map((urls) => urls.length)).toEqual([5, 5, 5, 1])
    expect(onServers.map(([first]) => first)).toEqual([
      expect.any(String),
      expected[1]![0],
      expect.any(String),
      expected[3]![0],
    ])
    expect(expected[1]![0]).toContain('page-08')
  })
})
