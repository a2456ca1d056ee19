// The SQLite driver of the store port: two files, opened by as many threads as like. Chats and limits have one of their
// own, since only one transaction at a time writes to a file.
import { dirname, join } from 'node:path'
import type { Store } from '../store.ts'
import { createAnalytics } from './analytics.ts'
import { createBlobs, openBlobFolder } from './blob.ts'
import { createChats } from './chat.ts'
import { createChatCleanup } from './chat-cleanup.ts'
import { createChatCounts } from './chat-message.ts'
import { createCleanup } from './cleanup.ts'
import { openConnection } from './connection.ts'
import { createFrontier } from './frontier.ts'
import { createKeys } from './key.ts'
import { createLimits } from './limit.ts'
import { createListedUrls } from './listed-urls.ts'
import { createInvitations, createMembers } from './member.ts'
import { createPages } from './page.ts'
import { createProjects } from './project.ts'
import { createRecrawls } from './recrawl.ts'
import { createRuns } from './run.ts'
import { chatSteps } from './schema/migrate.ts'
import { createSources } from './source.ts'
import { createTeams } from './team.ts'
import { createVectors } from './vector.ts'
import { createVocabulary } from './vocabulary.ts'

/**
 * Opens the database file and `chats.db` beside it, making them or bringing them to the newest schema where needed. Throws
 * DomainError(unavailable) when a newer Lectern has written it.
 */
export async function openSqliteStore(file: string): Promise<Store> {
  const db = openConnection(file)
  const chats = openConnection(file === ':memory:' ? file : join(dirname(file), 'chats.db'), chatSteps)
  // What is erased is overwritten, not left in the file's free pages.
  chats.get('pragma secure_delete = on')
  const blobs = openBlobFolder(file === ':memory:' ? null : join(dirname(file), 'blobs'))
  const cleanup = createCleanup(db)
  const chatCounts = createChatCounts(chats, db)
  const chatCleanup = createChatCleanup(chats, db, chatCounts)
  cleanup.schedule()
  chatCleanup.schedule()
  return {
    teams: createTeams(db),
    keys: createKeys(db),
    members: createMembers(db),
    invitations: createInvitations(db),
    projects: createProjects(db, cleanup, chatCleanup),
    sources: createSources(db, cleanup),
    runs: createRuns(db, cleanup),
    frontier: createFrontier(db, createListedUrls()),
    pages: createPages(db),
    recrawls: createRecrawls(db),
    vocabulary: createVocabulary(db),
    analytics: createAnalytics(db),
    chats: createChats(chats, db, chatCounts),
    limits: createLimits(chats),
    vectors: createVectors(db),
    blobs: createBlobs(db, blobs.path),
    ping: async () => {
      db.get('select 1')
      chats.get('select 1')
    },
    close: async () => {
      cleanup.stop()
      chatCleanup.stop()
      chats.close()
      db.close()
      blobs.close()
    },
  }
}
