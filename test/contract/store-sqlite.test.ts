// The store's contract on SQLite.
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import { testStore } from './store.suite.ts'

testStore('SQLite', () => openSqliteStore(':memory:'))
