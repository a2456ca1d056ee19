// The SQLite driver of the store port: two files, opened by any number of threads. Chats and limits have a separate file,
// because a file has only one writer at a time.
import { existsSync } from 'node:fs'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { blockTable, createLimits, windowTable } from '../limit.ts'
import { createClearing, createNouns, journalTables, plainTables } from '../nouns.ts'
import type { Rows, Table } from '../rows.ts'
import type { Store } from '../store.ts'
import { analyticsSchema, createAnalytics } from './analytics.ts'
import { createBlobs, openBlobFolder } from './blob.ts'
import { chatSchema, openChats } from './chat.ts'
import { cleanupSchema, createCleanup, deleteProject } from './cleanup.ts'
import { type Connection, openConnection } from './connection.ts'
import { createJournal, createTexts, textSchema } from './journal.ts'
import { projectTable } from './project.ts'
import { createSharedRows, createTable } from './table.ts'

const [windows, blocks] = [createTable(windowTable), createTable(blockTable)]

/** The tables of `lectern.db`: everything except chats and limits. */
export const mainSchema = [
  projectTable.sql,
  ...[...plainTables, ...journalTables].map((table) => createTable(table).sql),
  ...[textSchema, analyticsSchema, cleanupSchema],
].join('\n')

/** The tables and the journal of `lectern.db`. */
export function openTables(db: Connection) {
  const rows = <Row extends { uuid: string }>(table: Table<Row>): Rows<Row> =>
    createSharedRows(db, createTable<Row>(table))
  return { rows, journal: createJournal(db) }
}

/** Opens the database file and `chats.db` in the same folder, and creates missing tables. */
export async function openSqliteStore(file: string): Promise<Store> {
  const db = openConnection(file, mainSchema)
  const chatFile = file === ':memory:' ? file : join(dirname(file), 'chats.db')
  const chatDb = openConnection(chatFile, chatSchema + windows.sql + blocks.sql)
  // Overwrites deleted content, instead of leaving it in free pages of the file.
  chatDb.get('pragma secure_delete = on')
  const blobs = openBlobFolder(file === ':memory:' ? null : join(dirname(file), 'blobs'))
  const tables = openTables(db)
  const cleanup = createCleanup(db, createClearing(tables))
  const { chats, cleanup: chatCleanup } = openChats(chatDb, db)
  cleanup.schedule()
  chatCleanup.schedule()
  const removeProject = async (uuid: string) => {
    const isDeleted = deleteProject(db, uuid)
    // The project is hidden already, so the rest is deleted in the background.
    cleanup.schedule()
    chatCleanup.schedule()
    return isDeleted
  }
  return {
    ...createNouns({ ...tables, texts: createTexts(db), removeProject, cleanUp: cleanup.schedule }),
    analytics: createAnalytics(db),
    chats,
    limits: createLimits(createSharedRows(chatDb, windows), createSharedRows(chatDb, blocks)),
    blobs: createBlobs(db, blobs.path),
    ping: async () => {
      db.get('select 1')
      chatDb.get('select 1')
    },
    close: async () => {
      cleanup.stop()
      chatCleanup.stop()
      chatDb.close()
      db.close()
      blobs.close()
    },
  }
}

/**
 * Copies the database files of the data folder to `folder`, which is replaced. Another process may be writing. Each copy is a
 * consistent snapshot. The folder of uploaded files, which never change, is linked.
 */
export async function copyDatabases(data: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  // Copies chats last: chats of projects created in between are ignored.
  for (const name of ['lectern.db', 'chats.db']) {
    if (!existsSync(join(data, name))) continue
    const db = new DatabaseSync(join(data, name), { readOnly: true })
    try {
      db.prepare('vacuum into ?').run(join(folder, name))
    } finally {
      db.close()
    }
  }
  await symlink(resolve(data, 'blobs'), join(folder, 'blobs'))
}
