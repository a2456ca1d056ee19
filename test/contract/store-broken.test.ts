// The store's contract notices broken promises: each broken store fails a case of its noun, and every case is failed by one.
import { beforeAll, expect, test } from 'vitest'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import { storeCases } from './store.suite.ts'
import { type BrokenStore, brokenStores } from './store-broken.ts'
import { brokenBlobStores } from './store-broken-blobs.ts'
import { brokenChatStores } from './store-broken-chats.ts'
import { brokenCountStores } from './store-broken-counts.ts'
import { brokenMemberStores } from './store-broken-members.ts'
import { brokenMoveStores } from './store-broken-moves.ts'
import { brokenPageStores } from './store-broken-pages.ts'
import { brokenRowStores } from './store-broken-rows.ts'
import { brokenVectorStores } from './store-broken-vectors.ts'
import { brokenWriteStores } from './store-broken-writes.ts'
import type { StoreCase } from './store-case.ts'

const broken = [
  ...brokenStores,
  ...brokenPageStores,
  ...brokenChatStores,
  ...brokenCountStores,
  ...brokenVectorStores,
  ...brokenBlobStores,
  ...brokenMemberStores,
  ...brokenMoveStores,
  ...brokenRowStores,
  ...brokenWriteStores,
]

const fails = async ({ run }: StoreCase, { breaks }: BrokenStore): Promise<boolean> => {
  const store = await openSqliteStore(':memory:')
  try {
    await run(breaks(store))
    return false
  } catch {
    return true
  } finally {
    await store.close()
  }
}

/** Promise → the cases of its noun that its broken store fails. */
const failed = new Map<string, string[]>()
beforeAll(async () => {
  for (const one of broken) {
    const names: string[] = []
    for (const each of storeCases[one.noun]) if (await fails(each, one)) names.push(each.name)
    failed.set(one.promise, names)
  }
}, 300_000)

test.each(broken)('noticed when broken: $promise', ({ promise }) => {
  expect(failed.get(promise)).not.toEqual([])
})

test.each(Object.entries(storeCases))('every case is failed by a broken store: %s', (noun, cases) => {
  const names = broken.flatMap((one) => (one.noun === noun ? failed.get(one.promise)! : []))
  expect(cases.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([])
})
