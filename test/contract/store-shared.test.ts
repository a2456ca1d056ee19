// The contract of a store that two processes have open, on two connections to one SQLite file.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../services/store/store.ts'
import { testSharedStore } from './store-shared.suite.ts'

const folder = await mkdtemp(join(tmpdir(), 'lectern-shared-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Each case has a folder of its own: what belongs to chats is in a second file beside the first. */
const open = async (): Promise<[Store, Store]> => {
  const file = join(await mkdtemp(join(folder, 'case-')), 'lectern.db')
  return [await openSqliteStore(file), await openSqliteStore(file)]
}

testSharedStore('SQLite', open)
