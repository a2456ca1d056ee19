// The MongoDB driver of the store port, opened by as many processes as like. No transactions: what must change together
// is one document, changed by compare-and-set with the majority's word; every write can be repeated.
import type { Store } from '../store.ts'
import { createAnalytics } from './analytics.ts'
import { createBlobs } from './blob.ts'
import { createChats } from './chat.ts'
import { createCleanup } from './cleanup.ts'
import { createGuard, openConnection, type Priority, toStoreError } from './connection.ts'
import { createFrontier } from './frontier.ts'
import { createIndexes } from './indexes.ts'
import { createJournal } from './journal.ts'
import { createLimits } from './limit.ts'
import { createPages } from './page.ts'
import { createProjects, createVocabulary } from './project.ts'
import { createRecrawls } from './recrawl.ts'
import { createRuns } from './run.ts'
import { createLiveRuns } from './run-row.ts'
import { createSources } from './source.ts'
import { createInvitations, createKeys, createMembers, createTeams } from './team.ts'
import { createVectors } from './vector.ts'

/**
 * Opens the database that the address names (else `lectern`), with its indexes. Throws DomainError(invalid) for an address
 * that cannot be read, DomainError(unavailable) when no server answers within 2 s, AccessRefused when it does not let
 * us in. Once open it reconnects by itself, and its methods reject with DomainError(unavailable) within 2.5 s meanwhile;
 * for work in the background within 30 s where the server keeps its connection.
 */
export async function openMongoStore(url: string, priority: Priority = 'readers'): Promise<Store> {
  const guarded = createGuard(priority)
  const { db, close } = await openConnection(url)
  try {
    await createIndexes(db)
  } catch (error) {
    await close()
    throw toStoreError(error)
  }
  const journal = createJournal(db)
  const live = createLiveRuns(db, journal)
  const cleanup = createCleanup(db, journal, Date.now)
  cleanup.begin()
  const { ping } = guarded({ ping: async () => void (await db.command({ ping: 1 })) })
  return {
    teams: guarded(createTeams(db)),
    keys: guarded(createKeys(db)),
    members: guarded(createMembers(db)),
    invitations: guarded(createInvitations(db)),
    projects: guarded(createProjects(db, cleanup)),
    sources: guarded(createSources(db, journal), ['delete']),
    runs: guarded(createRuns(db, journal, live, cleanup), [
      'append',
      'appendLast',
      'begin',
      'finish',
      'live',
      'restore',
    ]),
    frontier: guarded(createFrontier(db, journal, live), 'all'),
    pages: guarded(createPages(db, journal, live), [
      'assignSources',
      'forget',
      'hold',
      'pinnedUnlisted',
      'publish',
      'remove',
      'scan',
      'seen',
      'swept',
      'unlisted',
    ]),
    recrawls: guarded(createRecrawls(db, journal)),
    vocabulary: guarded(createVocabulary(db), ['read', 'write']),
    analytics: guarded(createAnalytics(db), ['record', 'expire', 'daily', 'keys']),
    chats: guarded(createChats(db, cleanup), ['deleteByEmail', 'expire', 'daily', 'keys']),
    limits: guarded(createLimits(db), ['prune']),
    vectors: guarded(createVectors(db), ['prune', 'scan', 'write']),
    blobs: guarded(createBlobs(db), 'all'),
    ping,
    close: async () => {
      await cleanup.stop()
      await close()
    },
  }
}
