// The MongoDB driver of the store port, for any number of processes. It uses no transactions: data that must change together is in
// one document, changed by compare-and-set with majority acknowledgment. All writes can be repeated.

import type { Db } from 'mongodb'
import { type DayTables, toDayTables } from '../analytics.ts'
import type { Chat } from '../chat.ts'
import { chatDays, chatTable, createChats, messageTable } from '../chat-store.ts'
import type { Journal } from '../journal.ts'
import { blockTable, createLimits, windowTable } from '../limit.ts'
import { createNouns as createSharedNouns, journalTables, plainTables } from '../nouns.ts'
import { projectTable } from '../project.ts'
import type { AnyTable, Rows, Table } from '../rows.ts'
import type { Store } from '../store.ts'
import { createAnalytics } from './analytics.ts'
import { createBlobs } from './blob.ts'
import { type Cleanup, createCleanup } from './cleanup.ts'
import { guard, type MongoDb, openConnection, type Priority, toStoreError } from './connection.ts'
import { createJournal } from './journal.ts'
import { createChatRemoval, createProjectRemoval, isOpen } from './project.ts'
import { createRows, toCollection, toOrder } from './rows.ts'
import { createTexts } from './text.ts'

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
  const rows = <Row extends { uuid: string }>(table: Table<Row>) =>
    createRows<Row>(db, table) as unknown as Rows<Row>
  const toDayRows = ({ days, tallies }: DayTables) => ({
    days: rows(days),
    tallies: rows(tallies),
    isOpen: (project: string) => isOpen(db, project),
  })
  const removeProject = createProjectRemoval(db, cleanup)
  return {
    ...createSharedNouns({ rows, journal, texts: createTexts(db), removeProject, cleanUp: cleanup.schedule }),
    analytics: createAnalytics(db, toDayRows(analyticsDays)),
    chats: createChats({
      ...toDayRows(chatDays),
      chats: { ...rows(chatTable), delete: createChatRemoval(db, cleanup) as Rows<Chat>['delete'] },
      messages: rows(messageTable),
    }),
    limits: createLimits(rows(windowTable), rows(blockTable)),
  }
}

const analyticsDays = toDayTables('analytics')

/** Further indexes: fields with `-` for descending order. */
const otherIndexes: Record<string, string[]> = {
  chats: ['project state -createdAt -_id', 'project state email', 'project state updatedAt _id', 'state'],
  analytics_events: ['project at _id'],
  run_events: ['run level sequence', 'run type sequence', 'project'],
  listings: ['project'],
  pages: ['project folder url', 'project state _id'],
  page_bodies: ['page number', 'project number'],
}

const tables: AnyTable[] = [
  ...[...plainTables, ...journalTables, projectTable, windowTable, blockTable, messageTable],
  ...[...Object.values(chatDays), ...Object.values(analyticsDays)],
]

/** By collection, with `unique` at the end. MongoDB itself indexes `_id`. */
const indexes: Record<string, string[]> = {
  ...otherIndexes,
  ...Object.fromEntries(
    tables.map((table) => {
      const unique = table.unique ? [`${table.unique.fields} unique`] : []
      const name = toCollection(table)
      return [name, [...unique, ...(table.indexes ?? []), ...(otherIndexes[name] ?? [])]]
    }),
  ),
}

function toIndex(text: string) {
  const [, fields = '', unique] = /^(.*?)( unique)?$/.exec(text) ?? []
  const key = toOrder(fields)
  return { key, name: Object.entries(key).flat().join('_'), ...(unique && { unique: true }) }
}

export async function createIndexes(db: Db): Promise<void> {
  await Promise.all(
    Object.entries(indexes)
      .filter(([, wanted]) => wanted.length > 0)
      .map(([name, wanted]) => db.collection(name).createIndexes(wanted.map(toIndex))),
  )
}
