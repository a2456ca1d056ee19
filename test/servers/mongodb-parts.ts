// The parts of the MongoDB store on any database, as one process has them.
import { createAddresses } from '../../services/store/mongo/address.ts'
import { createAnalytics } from '../../services/store/mongo/analytics.ts'
import { createChats } from '../../services/store/mongo/chat.ts'
import { createCleanup } from '../../services/store/mongo/cleanup.ts'
import type { MongoDb } from '../../services/store/mongo/connection.ts'
import { createFrontier } from '../../services/store/mongo/frontier.ts'
import { createJournal } from '../../services/store/mongo/journal.ts'
import { createPages } from '../../services/store/mongo/page.ts'
import { createProjects, createVocabulary } from '../../services/store/mongo/project.ts'
import { createRecrawls } from '../../services/store/mongo/recrawl.ts'
import { createRuns } from '../../services/store/mongo/run.ts'
import { createLiveRuns } from '../../services/store/mongo/run-row.ts'
import { createSources } from '../../services/store/mongo/source.ts'
import { createKeys } from '../../services/store/mongo/team.ts'
import { createVectors } from '../../services/store/mongo/vector.ts'
import type { Store } from '../../services/store/store.ts'

/** Those that share a project's journal. */
export type Parts = Pick<Store, 'sources' | 'runs' | 'frontier' | 'addresses' | 'pages'>
export type WrittenParts = Parts &
  Pick<Store, 'keys' | 'projects' | 'recrawls' | 'vocabulary' | 'analytics' | 'chats' | 'vectors'>

/** `clear` clears what ended runs, deleted sources and killed writers left. Nothing is cleared without it. */
export function openParts(db: MongoDb): WrittenParts & { clear(): Promise<void> } {
  const journal = createJournal(db)
  const live = createLiveRuns(db, journal)
  const cleanup = createCleanup(db, journal, Date.now)
  const never = { ...cleanup, schedule: () => {} }
  return {
    keys: createKeys(db),
    projects: createProjects(db, never),
    sources: createSources(db, journal),
    runs: createRuns(db, journal, live, never),
    frontier: createFrontier(db, journal, live),
    addresses: createAddresses(db, journal, live),
    pages: createPages(db, journal, live),
    recrawls: createRecrawls(db, journal),
    vocabulary: createVocabulary(db),
    analytics: createAnalytics(db),
    chats: createChats(db, never),
    vectors: createVectors(db),
    clear: cleanup.run,
  }
}
