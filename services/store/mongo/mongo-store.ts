// The MongoDB driver of the store port, opened by as many processes as like. No transactions: what must change together
// is one document, changed by compare-and-set with the majority's word; every write can be repeated.
import type { Store } from '../store.ts'
import { createAnalytics } from './analytics.ts'
import { createChats } from './chat.ts'
import { openConnection, toStoreError } from './connection.ts'
import { guarded, inTime } from './guard.ts'
import { createIndexes } from './indexes.ts'
import { createKeys } from './key.ts'
import { createLimits } from './limit.ts'
import { createProjects } from './project.ts'
import { createRemains } from './remains.ts'
import { createTeams } from './team.ts'
import { createVectors } from './vector.ts'
import { createVocabulary } from './vocabulary.ts'

/**
 * Opens the database that the address names (else `lectern`), with its indexes. Throws DomainError(invalid) for an address
 * that cannot be read, DomainError(unavailable) when no server answers within 2 s, AccessRefused when it does not let
 * us in. Once open it reconnects by itself, and its methods reject with DomainError(unavailable) within 2.5 s meanwhile.
 */
export const openMongoStore = async (url: string): Promise<Store> => {
  const { db, close } = await openConnection(url)
  try {
    await createIndexes(db)
  } catch (error) {
    await close()
    throw toStoreError(error)
  }
  const remains = createRemains(db, Date.now)
  remains.begin()
  return {
    teams: guarded(createTeams(db)),
    keys: guarded(createKeys(db)),
    projects: guarded(createProjects(db, remains)),
    ...(await import('./later.ts')).later,
    vocabulary: guarded(createVocabulary(db)),
    analytics: guarded(createAnalytics(db)),
    chats: guarded(createChats(db, remains)),
    limits: guarded(createLimits(db)),
    vectors: guarded(createVectors(db)),
    ping: () =>
      inTime(db.command({ ping: 1 })).then(undefined, (error) => Promise.reject(toStoreError(error))),
    close: async () => {
      await remains.stop()
      await close()
    },
  }
}
