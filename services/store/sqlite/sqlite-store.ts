// The SQLite driver of the store port: two files, opened by any number of threads. Chats and limits have a separate file,
// because a file has only one writer at a time.
import { existsSync } from 'node:fs'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { blockTable, createLimits, windowTable } from '../limit.ts'
import { createProjects, createVocabulary, vocabularyTable } from '../project.ts'
import { createRecrawls } from '../recrawl.ts'
import { createSources, type SourcePages, sourceTable as sharedSourceTable } from '../source.ts'
import type { Store } from '../store.ts'
import * as team from '../team.ts'
import { createVectors, vectorTable } from '../vector.ts'
import { addressSchema, createAddresses } from './address.ts'
import { analyticsSchema, createAnalytics } from './analytics.ts'
import { createBlobs, openBlobFolder } from './blob.ts'
import { chatSchema, openChats } from './chat.ts'
import { type Cleanup, cleanupSchema, createCleanup } from './cleanup.ts'
import { type Connection, openConnection } from './connection.ts'
import { createFrontier, frontierSchema } from './frontier.ts'
import { createPages, pageSchema } from './page.ts'
import { createProjectRemoval, projectSchema, projectTable } from './project.ts'
import { createRecrawlQueue, recrawlTable } from './recrawl.ts'
import { createRuns, runSchema } from './run.ts'
import { createSharedRows, createTable } from './table.ts'

const teamTable = createTable(team.teamTable)
const keyTable = createTable(team.keyTable)
const memberTable = createTable(team.memberTable)
const invitationTable = createTable(team.invitationTable)
const sourceTable = createTable(sharedSourceTable, { extra: ['id integer primary key autoincrement'] })
const [vocabularies, vectors] = [createTable(vocabularyTable), createTable(vectorTable)]
const [windows, blocks] = [createTable(windowTable), createTable(blockTable)]

/**
 * The tables of `lectern.db`: everything except chats and limits. Child rows refer to their parent by row id, so that deleting the
 * row of a project or a source hides its children. The cleanup deletes them later in small steps.
 */
export const mainSchema = [
  ...[
    teamTable,
    keyTable,
    memberTable,
    invitationTable,
    sourceTable,
    recrawlTable,
    vocabularies,
    vectors,
  ].map(({ sql }) => sql),
  ...[projectSchema, runSchema, addressSchema, frontierSchema, pageSchema, analyticsSchema],
  cleanupSchema,
].join('\n')

/** Opens the database file and `chats.db` in the same folder, and creates missing tables. */
export async function openSqliteStore(file: string): Promise<Store> {
  const db = openConnection(file, mainSchema)
  const chatFile = file === ':memory:' ? file : join(dirname(file), 'chats.db')
  const chatDb = openConnection(chatFile, chatSchema + windows.sql + blocks.sql)
  // Overwrites deleted content, instead of leaving it in free pages of the file.
  chatDb.get('pragma secure_delete = on')
  const blobs = openBlobFolder(file === ':memory:' ? null : join(dirname(file), 'blobs'))
  const cleanup = createCleanup(db)
  const { chats, cleanup: chatCleanup } = openChats(chatDb, db)
  cleanup.schedule()
  chatCleanup.schedule()
  return {
    teams: team.createTeams(createSharedRows(db, teamTable)),
    keys: team.createKeys(createSharedRows(db, keyTable)),
    members: team.createMembers(createSharedRows(db, memberTable)),
    invitations: team.createInvitations(createSharedRows(db, invitationTable)),
    projects: createProjects(
      createSharedRows(db, projectTable),
      createProjectRemoval(db, cleanup, chatCleanup),
    ),
    sources: createSources(createSharedRows(db, sourceTable), createSourcePages(db, cleanup)),
    runs: createRuns(db, cleanup),
    frontier: createFrontier(db),
    addresses: createAddresses(db),
    pages: createPages(db),
    recrawls: createRecrawls(createSharedRows(db, recrawlTable), createRecrawlQueue(db)),
    vocabulary: createVocabulary(createSharedRows(db, vocabularies)),
    analytics: createAnalytics(db),
    chats,
    limits: createLimits(createSharedRows(chatDb, windows), createSharedRows(chatDb, blocks)),
    vectors: createVectors(createSharedRows(db, vectors)),
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

function createSourcePages(db: Connection, cleanup: Cleanup): SourcePages {
  return {
    pageCounts: async (project) => {
      const rows = db.all<{ uuid: string; n: number }>(
        `select source.uuid, (select count(*) from page_source where page_source.source = source.id) as n
         ${sourceTable.from} where project.uuid = ?`,
        [project],
      )
      return new Map(rows.flatMap(({ uuid, n }) => (n === 0 ? [] : [[uuid, n]])))
    },
    delete: async (project, uuid) => {
      const ofThis = 'uuid = ? and project = (select id from project where uuid = ?)'
      const isDeleted = db.write(() => cleanup.delete('source', ofThis, [uuid, project]))
      await cleanup.run()
      return isDeleted
    },
  }
}
