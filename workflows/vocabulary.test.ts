import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SearchIndex } from '../services/index/search-index.ts'
import { openSegmentIndex } from '../services/index/segments/segment-index.ts'
import { toUnits } from '../services/index/units.ts'
import { decodeVocabulary } from '../services/search/vocabulary.ts'
import type { Run } from '../services/store/run.ts'
import { openSqliteStore } from '../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../services/store/store.ts'
import { at, content, page, run, withProject } from '../test/contract/store-case.ts'
import { createFolder } from '../test/folder.ts'
import { createVocabularyKeeper } from './vocabulary.ts'

let folder: string
let store: Store
let index: SearchIndex
beforeEach(async () => {
  folder = createFolder()
  store = await openSqliteStore(':memory:')
  index = await openSegmentIndex(folder)
  await withProject(store)
})
afterEach(async () => {
  await index.close()
  await store.close()
})

const add = (word: string) => index.add('p1', toUnits(page(word, { version: 1 }), content(word)))

async function words(): Promise<string[]> {
  const stored = await store.vocabulary.read('p1')
  return stored === null ? [] : decodeVocabulary(stored.terms).terms
}

/** The end of a run that changed nothing. */
async function finish(uuid: string) {
  const begun = await store.runs.begin(run(uuid, { createdAt: at(Number(uuid)) }))
  const keeper = createVocabularyKeeper({ store, index }, 'p1', () => new Date())
  await keeper.finish(begun?.run as Run)
  await store.runs.finish(uuid, { status: 'completed', at: at(Number(uuid)), error: null })
}

test('a run without changes creates a missing vocabulary', async () => {
  await add('apple')
  await finish('1')
  expect(await words()).toContain('apple')
})

test('a run without changes counts the changes of an interrupted run before it', async () => {
  await add('apple')
  await finish('1')
  await add('pear')
  await store.runs.begin(run('2', { createdAt: at(2) }))
  await finish('3')
  expect(await words()).toContain('pear')
})

test('a resumed run counts again, even if it finds all pages unchanged', async () => {
  await add('apple')
  await finish('1')
  await add('pear')
  const begun = await store.runs.begin(run('2', { createdAt: at(2) }))
  const keeper = createVocabularyKeeper({ store, index }, 'p1', () => new Date())
  await keeper.finish({ ...(begun?.run as Run), startedAt: at(2) })
  expect(await words()).toContain('pear')
})

test('a run without changes keeps the vocabulary', async () => {
  await add('apple')
  await finish('1')
  const version = await store.vocabulary.version('p1')
  await add('pear')
  await finish('2')
  expect(await store.vocabulary.version('p1')).toBe(version)
})
