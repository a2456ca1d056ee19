// The store's contract notices a broken promise: for each, the cases of its noun fail at least once.
import { expect, test } from 'vitest'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import { storeCases } from './store.suite.ts'
import { type BrokenStore, brokenStores } from './store-broken.ts'
import { brokenChatStores } from './store-broken-chats.ts'
import { brokenMoveStores } from './store-broken-moves.ts'
import { brokenPageStores } from './store-broken-pages.ts'
import { brokenVectorStores } from './store-broken-vectors.ts'

/** The first case of its noun that a broken store fails; null when it passes them all. */
const firstFailure = async ({ noun, breaks }: BrokenStore): Promise<string | null> => {
  for (const { name, run } of storeCases[noun]) {
    const store = await openSqliteStore(':memory:')
    try {
      await run(breaks(store))
    } catch {
      return name
    } finally {
      await store.close()
    }
  }
  return null
}

test.each([
  ...brokenStores,
  ...brokenPageStores,
  ...brokenChatStores,
  ...brokenVectorStores,
  ...brokenMoveStores,
])('noticed when broken: $promise', async (broken) => {
  expect(await firstFailure(broken)).not.toBeNull()
})
