// Projects.
import { projectTable as sharedTable } from '../project.ts'
import type { Connection } from './connection.ts'
import { createTable } from './table.ts'

/** With the columns of the journal. Rows of other tables refer to a project by `id`, so that deleting it hides them. */
export const projectTable = createTable(sharedTable, [
  'id integer primary key autoincrement',
  'fence integer not null default 0',
  'live_run text',
  "deleted_sources text not null default '[]'",
  'sequence integer not null default 0',
])

/** The row id of a project; undefined if it does not exist. */
export function findProject(db: Connection, uuid: string): number | undefined {
  return db.get<{ id: number }>('select id from project where uuid = ?', [uuid])?.id
}

/** Whether the project exists. Rows in the other file are valid only while it does. */
export function hasProject(db: Connection, uuid: string): boolean {
  return findProject(db, uuid) !== undefined
}
