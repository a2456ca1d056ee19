// The contract of a store that two processes have open, on two connections to one SQLite file; and that it notices stores
// which look first and write later: each fails a case, and every case is failed by one.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../services/store/store.ts'
import { type SharedStoreCase, sharedStoreCases, testSharedStore } from './store-shared.suite.ts'
import { type BrokenSharedStore, brokenSharedStores } from './store-shared-broken.ts'

const folder = await mkdtemp(join(tmpdir(), 'lectern-shared-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Each case has a folder of its own: what belongs to chats is in a second file beside the first. */
const open = async (): Promise<[Store, Store]> => {
  const file = join(await mkdtemp(join(folder, 'case-')), 'lectern.db')
  return [await openSqliteStore(file), await openSqliteStore(file)]
}

testSharedStore('SQLite', open)

const fails = async ({ run }: SharedStoreCase, { breaks }: BrokenSharedStore): Promise<boolean> => {
  const [one, other] = await open()
  try {
    await run(breaks(one), breaks(other))
    return false
  } catch {
    return true
  } finally {
    await one.close()
    await other.close()
  }
}

/** Promise → the cases that its broken store fails. */
const failed = new Map<string, string[]>()
beforeAll(async () => {
  for (const broken of brokenSharedStores) {
    const names: string[] = []
    for (const each of sharedStoreCases) if (await fails(each, broken)) names.push(each.name)
    failed.set(broken.promise, names)
  }
})

test.each(brokenSharedStores)('noticed when broken: $promise', ({ promise }) => {
  expect(failed.get(promise)).not.toEqual([])
})

test('every case is failed by a broken store', () => {
  const names = [...failed.values()].flat()
  expect(sharedStoreCases.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([])
})
