// Projects and their vocabularies.
import type { Project, ProjectStore, VocabularyStore } from '../project.ts'
import type { Cleanup, CleanupWork } from './cleanup.ts'
import type { Connection } from './connection.ts'
import { createRows, createTable } from './table.ts'

const projectTable = createTable<Project>(
  'project',
  'uuid team slug name isPrivate:flag whitelabel:flag allowedDomains:json config:json createdAt updatedAt revision:int indexedAt?',
  {
    extra: `id integer primary key autoincrement,
  fence integer not null default 0,
  live_run integer,
  unique (slug)`,
  },
)

export const projectSchema = `
-- A run is live while live_run names it. Only a live run with this fence may write.
${projectTable.sql}
create index project_of_team on project (team, slug);
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

export function createProjects(db: Connection, cleanup: Cleanup, chatCleanup: CleanupWork): ProjectStore {
  const projects = createRows(db, projectTable)
  return {
    insert: async (project) => projects.insertUnique(project, 'slug', 'where slug = ?', [project.slug]),
    bySlug: async (slug) => projects.one('where slug = ?', [slug]),
    byUuid: async (uuid) => projects.one('where uuid = ?', [uuid]),
    slugs: async (uuids) => {
      const sql = 'select uuid, slug from project where uuid in (select value from json_each(?))'
      const rows = db.all<{ uuid: string; slug: string }>(sql, [JSON.stringify(uuids)])
      return new Map(rows.map(({ uuid, slug }) => [uuid, slug]))
    },
    list: async (team, only, page) => {
      const visible = 'team = ?1 and (?2 is null or uuid in (select value from json_each(?2)))'
      return projects.page(`where ${visible} order by slug`, [team, only && JSON.stringify(only)], page)
    },
    all: async () => projects.all('order by uuid'),
    update: async (project) =>
      projects.update(project, 'name isPrivate whitelabel allowedDomains config updatedAt revision'),
    delete: async (uuid) => {
      const isDeleted = db.write(() => cleanup.delete('project', 'uuid = ?', [uuid]))
      // The project is hidden already, so the rest is deleted in the background.
      cleanup.schedule()
      chatCleanup.schedule()
      return isDeleted
    },
  }
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
