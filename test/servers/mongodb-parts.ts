// The parts of the MongoDB store on any database, as in one process.
import { createCleanup } from '../../services/store/mongo/cleanup.ts'
import type { MongoDb } from '../../services/store/mongo/connection.ts'
import { createJournal } from '../../services/store/mongo/journal.ts'
import { createNouns } from '../../services/store/mongo/mongo-store.ts'
import type { Store } from '../../services/store/store.ts'

/** Those that share a project's journal. */
export type Parts = Pick<Store, 'sources' | 'runs' | 'frontier' | 'addresses' | 'pages'>
export type WrittenParts = Parts &
  Pick<Store, 'keys' | 'projects' | 'recrawls' | 'vocabulary' | 'analytics' | 'chats' | 'vectors'>

/** `clear` deletes what ended runs, deleted sources and killed writers left. Without it, nothing is deleted. */
export function openParts(db: MongoDb): WrittenParts & { clear(): Promise<void> } {
  const journal = createJournal(db)
  const cleanup = createCleanup(db, journal, Date.now)
  return { ...createNouns(db, journal, { ...cleanup, schedule: () => {} }), clear: cleanup.run }
}
