// The parts of the MongoDB store that share a project's journal, on any database: as one process has them.

import { createCleanup } from '../../services/store/mongo/cleanup.ts'
import type { MongoDb } from '../../services/store/mongo/connection.ts'
import { createFrontier } from '../../services/store/mongo/frontier.ts'
import { createJournal } from '../../services/store/mongo/journal.ts'
import { createPages } from '../../services/store/mongo/page.ts'
import { createRuns } from '../../services/store/mongo/run.ts'
import { createLiveRuns } from '../../services/store/mongo/run-row.ts'
import { createSources } from '../../services/store/mongo/source.ts'
import type { Store } from '../../services/store/store.ts'

export type Parts = Pick<Store, 'sources' | 'runs' | 'frontier' | 'pages'>

/** `clear` clears what ended runs, deleted sources and killed writers left. Nothing is cleared without it. */
export function openParts(db: MongoDb): Parts & { clear(): Promise<void> } {
  const journal = createJournal(db)
  const live = createLiveRuns(db, journal)
  const cleanup = createCleanup(db, journal, Date.now)
  return {
    sources: createSources(db, journal),
    runs: createRuns(db, journal, live, { schedule: () => {} }),
    frontier: createFrontier(db, journal, live),
    pages: createPages(db, journal, live),
    clear: cleanup.run,
  }
}
