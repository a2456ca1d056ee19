import { afterEach, beforeEach, expect, test } from 'vitest'
import { openIndex, openStore } from '../services/drivers.ts'
import type { SearchIndex } from '../services/index/search-index.ts'
import { toUnits } from '../services/index/units.ts'
import type { Store } from '../services/store/store.ts'
import { at, publication, withProject } from '../test/contract/store-case.ts'
import { createFolder } from '../test/folder.ts'
import { publishPages } from './commit.ts'

let data: string
let store: Store
let index: SearchIndex
beforeEach(async () => {
  data = createFolder()
  store = await openStore({ data })
  index = await openIndex({ data })
  await withProject(store)
})
afterEach(async () => {
  await index.close()
  await store.close()
})

/** A version of the page `a`, with its units. */
function version(number: number, fetchedAt: string) {
  const made = publication('a', { version: number, fetchedAt })
  return { ...made, units: toUnits({ ...made.page, url: made.page.url }, made.content) }
}

async function versions(): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const version of index.versions('p1')) found.push(version)
  return found
}

test('leaves no units of a version that loses to one fetched later', async () => {
  expect(await publishPages(store, index, 'p1', null, [version(20, at(9))])).toEqual(['published'])
  expect(await publishPages(store, index, 'p1', null, [version(30, at(5))])).toEqual(['stale'])
  expect(await versions()).toMatchObject([{ page: 'page-a', version: 20 }])
})

test('replaces an older version with one that was fetched later', async () => {
  await publishPages(store, index, 'p1', null, [version(20, at(5))])
  expect(await publishPages(store, index, 'p1', null, [version(30, at(9))])).toEqual(['published'])
  expect(await store.pages.current(['page-a'])).toEqual(new Map([['page-a', 30]]))
})
