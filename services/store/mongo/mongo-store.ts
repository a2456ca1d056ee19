// The MongoDB driver of the store port, for any number of processes. It uses no transactions: data that must change together is in
// one document, changed by compare-and-set with majority acknowledgment. All writes can be repeated.

import type { Db } from 'mongodb'
import type { Store } from '../store.ts'
import { createAddresses } from './address.ts'
import { createAnalytics } from './analytics.ts'
import { createBlobs } from './blob.ts'
import { createChats } from './chat.ts'
import { createCleanup } from './cleanup.ts'
import { guard, openConnection, type Priority, toStoreError } from './connection.ts'
import { createFrontier } from './frontier.ts'
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

/** Methods that may take long in a large project. A name without a method includes all its methods. */
const slowMethods = new Set([
  ...['frontier', 'addresses.forget', 'addresses.restore', 'blobs', 'sources.delete'],
  ...['vocabulary.read', 'vocabulary.write', 'limits.prune'],
  ...['runs.append', 'runs.appendLast', 'runs.begin', 'runs.finish', 'runs.live', 'runs.restore'],
  ...['pages.assignSources', 'pages.forget', 'pages.hold', 'pages.pinnedUnlisted', 'pages.publish'],
  ...['pages.remove', 'pages.scan', 'pages.seen', 'pages.swept', 'pages.unlisted'],
  ...['analytics.record', 'analytics.expire', 'analytics.daily', 'analytics.keys'],
  ...['chats.deleteByEmail', 'chats.expire', 'chats.daily', 'chats.keys', 'chats.search'],
  ...['vectors.prune', 'vectors.scan', 'vectors.write'],
])

/**
 * Opens the database in the address (default `lectern`), and creates its indexes. Rejects with DomainError(invalid) if the address
 * is invalid, DomainError(unavailable) if no server responds within 2 s, AccessRefused if access is denied. Once open, it
 * reconnects automatically. Meanwhile, methods reject with DomainError(unavailable) within 2.5 s, or 30 s for background work
 * on an open connection.
 */
export async function openMongoStore(url: string, priority: Priority = 'readers'): Promise<Store> {
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
  function guarded<Methods extends object>(noun: string, methods: Methods): Methods {
    return guard(methods, priority, (name) => slowMethods.has(noun) || slowMethods.has(`${noun}.${name}`))
  }
  return {
    teams: guarded('teams', createTeams(db)),
    keys: guarded('keys', createKeys(db)),
    members: guarded('members', createMembers(db)),
    invitations: guarded('invitations', createInvitations(db)),
    projects: guarded('projects', createProjects(db, cleanup)),
    sources: guarded('sources', createSources(db, journal)),
    runs: guarded('runs', createRuns(db, journal, live, cleanup)),
    frontier: guarded('frontier', createFrontier(db, journal, live)),
    addresses: guarded('addresses', createAddresses(db, journal, live)),
    pages: guarded('pages', createPages(db, journal, live)),
    recrawls: guarded('recrawls', createRecrawls(db, journal)),
    vocabulary: guarded('vocabulary', createVocabulary(db)),
    analytics: guarded('analytics', createAnalytics(db)),
    chats: guarded('chats', createChats(db, cleanup)),
    limits: guarded('limits', createLimits(db)),
    vectors: guarded('vectors', createVectors(db)),
    blobs: guarded('blobs', createBlobs(db)),
    ...guarded('', { ping: async () => void (await db.command({ ping: 1 })) }),
    close: async () => {
      await cleanup.stop()
      await close()
    },
  }
}

/** Fields of each index by collection, with `-` for descending order and `unique` at the end. MongoDB itself indexes `_id`. */
const indexes: Record<string, string[]> = {
  keys: ['hash unique', 'team -createdAt -_id'],
  members: ['team email unique', 'team createdAt _id'],
  invitations: ['hash unique', 'team -createdAt -_id', 'expiresAt'],
  projects: ['slug unique', 'team slug', 'state', 'liveRun'],
  chats: ['project state -createdAt -_id', 'project state email', 'project state updatedAt _id', 'state'],
  chat_days: ['project day'],
  chat_messages: ['chat position unique', 'project createdAt'],
  limit_windows: ['endsAt'],
  limit_blocks: ['until'],
  analytics_days: ['project day'],
  analytics_events: ['project at _id'],
  vectors: ['model hash', 'usedAt'],
  sources: ['project type identity unique', 'project createdAt _id'],
  runs: ['project -createdAt -fence', 'frontier'],
  run_events: ['run sequence', 'run level sequence', 'run type sequence', 'project'],
  addresses: ['project status url', 'run state _id', 'run deferredBy _id'],
  listings: ['run source state ordinal', 'project'],
  pages: [
    ...['project folder url', 'project url', 'project state _id', 'project contentHash', 'project language'],
    ...['project pinned _id', 'project heldBy', 'project sources'],
  ],
  page_bodies: ['page number', 'project number'],
  swept_versions: ['project seq place'],
  recrawls: ['project -createdAt -_id', 'status createdAt _id'],
}

function toIndex(text: string) {
  const [, fields = '', unique] = /^(.*?)( unique)?$/.exec(text) ?? []
  const key = Object.fromEntries(
    fields.split(' ').map((field) => (field.startsWith('-') ? [field.slice(1), -1] : [field, 1])),
  )
  return { key, name: Object.entries(key).flat().join('_'), ...(unique && { unique: true }) }
}

export async function createIndexes(db: Db): Promise<void> {
  await Promise.all(
    Object.entries(indexes).map(([name, wanted]) => db.collection(name).createIndexes(wanted.map(toIndex))),
  )
}
