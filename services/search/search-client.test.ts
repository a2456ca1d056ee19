import { beforeAll, expect, test } from 'vitest'
import { content, page, project } from '../../test/contract/store-case.ts'
import { createFolder } from '../../test/folder.ts'
import { unfiltered } from '../../test/unfiltered.ts'
import { openIndex, openStore } from '../drivers.ts'
import { toUnits } from '../index/units.ts'
import { createSearchClient } from './search-client.ts'

const data = createFolder()
beforeAll(async () => {
  const [store, index] = [await openStore({ data }), await openIndex({ data })]
  await store.projects.insert(project())
  const published = { page: page('a', { version: 1 }), content: content('apple') }
  await index.add('p1', toUnits(published.page, published.content))
  await store.pages.publish('p1', null, [published])
  await index.close()
  await store.close()
})

const hanging = new URL('../../test/fixtures/hanging-search-thread.ts', import.meta.url)

const request = (q: string) => ({ project: 'p1', q, limit: 10, ...unfiltered })

test('restarts the thread after a search that takes too long; other searches are rejected meanwhile', async () => {
  const reports: string[] = []
  const searcher = createSearchClient(
    { backends: { data }, embeddings: null },
    (error) => reports.push((error as Error).message),
    { entry: hanging, cpuLimit: 500 },
  )
  await expect(searcher.search(request('apple'))).rejects.toMatchObject({ reason: 'unavailable' })
  await searcher.open()
  const before = await searcher.search(request('apple'))
  const calls = await Promise.allSettled([
    searcher.search(request('spin')),
    searcher.search(request('apple')),
  ])
  for (const call of calls) {
    expect(call).toMatchObject({ status: 'rejected', reason: { reason: 'unavailable', retryAfter: 1 } })
  }
  await expect.poll(() => searcher.search(request('apple')).catch(() => null)).toEqual(before)
  expect(reports).toEqual(['the thread hanging-search-thread did not respond and was ended'])
  await searcher.close()
})

test('rejects part of a flood with a time to retry, drops calls whose caller left, and keeps the thread', async () => {
  const reports: unknown[] = []
  const searcher = createSearchClient({ backends: { data }, embeddings: null }, (error) =>
    reports.push(error),
  )
  await searcher.open()
  const flood = Promise.allSettled(Array.from({ length: 500 }, () => searcher.search(request('aple'))))
  const other = searcher.search({ ...request('apple'), project: 'p2' })
  const left = searcher.search({ ...request('apple'), project: 'p2' }, AbortSignal.abort())
  await expect(left).rejects.toMatchObject({ reason: 'unavailable' })
  expect(await other).toEqual({ results: [], meaning: null })
  const refused = (await flood).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(500 - 108)
  expect(refused[0]).toMatchObject({ reason: { reason: 'unavailable', retryAfter: 1 } })
  expect(reports).toEqual([])
  await searcher.close()
})
