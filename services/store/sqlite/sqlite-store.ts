// The SQLite driver of the store port: one file, opened by as many threads as like.
import type { Store } from '../store.ts'
import { createAnalytics } from './analytics.ts'
import { createChats } from './chat.ts'
import { openConnection } from './connection.ts'
import { createFrontier } from './frontier.ts'
import { createKeys } from './key.ts'
import { createLimits } from './limit.ts'
import { createListedUrls } from './listed-urls.ts'
import { createPages } from './page.ts'
import { createProjects } from './project.ts'
import { createRecrawls } from './recrawl.ts'
import { createRemains } from './remains.ts'
import { createRuns } from './run.ts'
import { createSources } from './source.ts'
import { createTeams } from './team.ts'
import { createVectors } from './vector.ts'
import { createVocabulary } from './vocabulary.ts'

/**
 * Opens the database file, making it or bringing it to the newest schema where needed. Throws
 * DomainError(unavailable) when a newer Lectern has written it.
 */
export const openSqliteStore = async (file: string): Promise<Store> => {
  const db = openConnection(file)
  const remains = createRemains(db)
  remains.clearSoon()
  return {
    teams: createTeams(db),
    keys: createKeys(db),
    projects: createProjects(db, remains),
    sources: createSources(db, remains),
    runs: createRuns(db, remains),
    frontier: createFrontier(db, createListedUrls()),
    pages: createPages(db),
    recrawls: createRecrawls(db),
    vocabulary: createVocabulary(db),
    analytics: createAnalytics(db),
    chats: createChats(db),
    limits: createLimits(db),
    vectors: createVectors(db),
    ping: async () => {
      db.get('select 1')
    },
    close: async () => {
      remains.stop()
      db.close()
    },
  }
}
