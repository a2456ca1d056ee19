// Projects and their vocabularies.
import { projectTable as sharedTable, type VocabularyStore } from '../project.ts'
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

create table vocabulary (
  project integer primary key,
  version integer not null,
  terms blob not null
) strict;
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

export function createVocabulary(db: Connection): VocabularyStore {
  const read = (project: string) =>
    db.get<{ version: number; terms: Uint8Array }>(
      'select version, terms from vocabulary where project = (select id from project where uuid = ?)',
      [project],
    ) ?? null
  return {
    read: async (project) => read(project),
    version: async (project) =>
      db.get<{ version: number }>(
        'select version from vocabulary where project = (select id from project where uuid = ?)',
        [project],
      )?.version ?? 0,
    write: async (project, terms) =>
      db.get<{ version: number }>(
        `insert into vocabulary (project, version, terms) select id, 1, ? from project where uuid = ?
         on conflict (project) do update set version = version + 1, terms = excluded.terms returning version`,
        [terms, project],
      )?.version ?? 0,
  }
}
