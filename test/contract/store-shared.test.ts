// The contract of a store that two processes have open, with two connections to one SQLite file.
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../services/store/store.ts'
import { createFolder } from '../folder.ts'
import { testSharedStore } from './store-shared.suite.ts'

const folder = createFolder()

/** Each case has its own folder, since chats are in a second file next to the first. */
const open = async (): Promise<[Store, Store]> => {
  const file = join(await mkdtemp(join(folder, 'case-')), 'lectern.db')
  return [await openSqliteStore(file), await openSqliteStore(file)]
}

testSharedStore('SQLite', open)
