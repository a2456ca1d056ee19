// The MongoDB driver of the store port, for any number of processes. It uses no transactions: data that must change together is in
// one document, changed by compare-and-set with majority acknowledgment. All writes can be repeated.

import type { Db } from 'mongodb'
import { type DayTables, toDayTables } from '../analytics.ts'
import type { Chat } from '../chat.ts'
import { chatDays, chatTable, createChats, messageTable } from '../chat-store.ts'
import { blockTable, createLimits, windowTable } from '../limit.ts'
import { createProjects, createVocabulary, projectTable, vocabularyTable } from '../project.ts'
import { createRecrawls, recrawlTable } from '../recrawl.ts'
import type { Rows, Table } from '../rows.ts'
import { createSources, sourceTable } from '../source.ts'
import type { Store } from '../store.ts'
import * as team from '../team.ts'
import { createVectors, vectorTable } from '../vector.ts'
import { createAddresses } from './address.ts'
import { createAnalytics } from './analytics.ts'
import { createBlobs } from './blob.ts'
import { type Cleanup, createCleanup } from './cleanup.ts'
import { guard, type MongoDb, openConnection, type Priority, toStoreError } from './connection.ts'
import { createFrontier } from './frontier.ts'
import { createJournal, isOpen, type Journal } from './journal.ts'
import { createPages } from './page.ts'
import { createChatRemoval, createProjectRemoval, initial } from './project.ts'
import { createRecrawlQueue, own } from './recrawl.ts'
import { createRows, type Own, toCollection, toOrder } from './rows.ts'
import { createRuns } from './run.ts'
import { createLiveRuns } from './run-row.ts'
import { createSourcePages } from './source.ts'

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
  const cleanup = createCleanup(db, journal, Date.now)
  cleanup.begin()
  const nouns = { ...createNouns(db, journal, cleanup), blobs: createBlobs(db) }
  const guarded = Object.entries(nouns).map(([noun, methods]) => [
    noun,
    guard(methods, priority, (name) => slowMethods.has(noun) || slowMethods.has(`${noun}.${name}`)),
  ])
  return {
    ...(Object.fromEntries(guarded) as typeof nouns),
    ...guard({ ping: async () => void (await db.command({ ping: 1 })) }, priority, () => false),
    close: async () => {
      await cleanup.stop()
      await close()
    },
  }
}

/** The methods of the store, without timeouts. */
export function createNouns(db: MongoDb, journal: Journal, cleanup: Cleanup) {
  const live = createLiveRuns(db, journal)
  const rows = <Row extends { uuid: string }>(table: Table<Row>, own?: Own) =>
    createRows<Row>(db, table, own) as unknown as Rows<Row>
  const toDayRows = ({ days, tallies }: DayTables) => ({
    days: rows(days),
    tallies: rows(tallies),
    isOpen: (project: string) => isOpen(db, project),
  })
  return {
    teams: team.createTeams(rows(team.teamTable)),
    keys: team.createKeys(rows(team.keyTable)),
    members: team.createMembers(rows(team.memberTable)),
    invitations: team.createInvitations(rows(team.invitationTable)),
    projects: createProjects(rows(projectTable, { initial }), createProjectRemoval(db, cleanup)),
    sources: createSources(rows(sourceTable), createSourcePages(db, journal)),
    runs: createRuns(db, journal, live, cleanup),
    frontier: createFrontier(db, journal, live),
    addresses: createAddresses(db, journal, live),
    pages: createPages(db, journal, live),
    recrawls: createRecrawls(rows(recrawlTable, own), createRecrawlQueue(db, journal)),
    vocabulary: createVocabulary(rows(vocabularyTable)),
    analytics: createAnalytics(db, toDayRows(analyticsDays)),
    chats: createChats({
      ...toDayRows(chatDays),
      chats: {
        ...rows(chatTable, { initial: { state: 'open' } }),
        delete: createChatRemoval(db, cleanup) as Rows<Chat>['delete'],
      },
      messages: rows(messageTable),
    }),
    limits: createLimits(rows(windowTable), rows(blockTable)),
    vectors: createVectors(rows(vectorTable)),
  }
}

const { keyTable, memberTable, invitationTable } = team
const analyticsDays = toDayTables('analytics')

/** The indexes of the tables of rows.ts. */
const shared = [
  keyTable,
  memberTable,
  invitationTable,
  projectTable,
  sourceTable,
  recrawlTable,
  windowTable,
  blockTable,
  messageTable,
  vectorTable,
  vocabularyTable,
  ...Object.values(chatDays),
  ...Object.values(analyticsDays),
].map((table) => [
  toCollection(table),
  [...(table.unique ? [`${table.unique.fields} unique`] : []), ...(table.indexes ?? [])],
])

/** Fields of each index by collection, with `-` for descending order and `unique` at the end. MongoDB itself indexes `_id`. */
const indexes: Record<string, string[]> = {
  ...Object.fromEntries(shared),
  chats: ['project state -createdAt -_id', 'project state email', 'project state updatedAt _id', 'state'],
  analytics_events: ['project at _id'],
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
}

function toIndex(text: string) {
  const [, fields = '', unique] = /^(.*?)( unique)?$/.exec(text) ?? []
  const key = toOrder(fields)
  return { key, name: Object.entries(key).flat().join('_'), ...(unique && { unique: true }) }
}

export async function createIndexes(db: Db): Promise<void> {
  await Promise.all(
    Object.entries(indexes).map(([name, wanted]) => db.collection(name).createIndexes(wanted.map(toIndex))),
  )
}
