// Projects.
import { projectTable as sharedTable } from '../project.ts'
import type { Cleanup, CleanupWork } from './cleanup.ts'
import type { Connection } from './connection.ts'
import { createTable } from './table.ts'

export const projectTable = createTable(sharedTable, {
  extra: ['id integer primary key autoincrement', 'fence integer not null default 0', 'live_run integer'],
})

export const projectSchema = `
-- A run is live while live_run names it. Only a live run with this fence may write.
${projectTable.sql}
create unique index project_live on project (live_run) where live_run is not null;
`

/** The row id of a project; undefined if it does not exist. */
export function findProject(db: Connection, uuid: string): number | undefined {
  return db.get<{ id: number }>('select id from project where uuid = ?', [uuid])?.id
}

/** Whether the project exists. Rows in the other file are valid only while it does. */
export function hasProject(db: Connection, uuid: string): boolean {
  return findProject(db, uuid) !== undefined
}

export const createProjectRemoval =
  (db: Connection, cleanup: Cleanup, chatCleanup: CleanupWork) =>
  async (uuid: string): Promise<boolean> => {
    const isDeleted = db.write(() => cleanup.delete('project', 'uuid = ?', [uuid]))
    // The project is hidden already, so the rest is deleted in the background.
    cleanup.schedule()
    chatCleanup.schedule()
    return isDeleted
  }
