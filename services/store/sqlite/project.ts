// Projects, and the vocabulary of each.
import type { Project, ProjectStore, VocabularyStore } from '../project.ts'
import type { Cleanup, CleanupWork } from './cleanup.ts'
import type { Connection } from './connection.ts'
import { createTable, insertNew, readAll, readOne, readPage, refuseTaken, updateRevision } from './table.ts'

const projects = createTable<Project>('project', {
  plain: 'uuid team slug name createdAt updatedAt revision indexedAt',
  json: 'allowedDomains config',
  flag: 'isPrivate whitelabel',
})

/** The row id of a project; undefined if it does not exist. */
export function findProject(db: Connection, uuid: string): number | undefined {
  return db.get<{ id: number }>('select id from project where uuid = ?', uuid)?.id
}

/** Whether the project exists. Rows of another file that name it count only while it does. */
export function hasProject(db: Connection, uuid: string): boolean {
  return findProject(db, uuid) !== undefined
}

export function createProjects(db: Connection, cleanup: Cleanup, chatCleanup: CleanupWork): ProjectStore {
  return {
    insert: async (project) => {
      db.write(() => {
        refuseTaken(db, 'slug', project.uuid, 'select uuid from project where slug = ?', project.slug)
        insertNew(db, projects, project)
      })
    },
    bySlug: async (slug) => readOne(db, projects, 'from project where slug = ?', slug),
    byUuid: async (uuid) => readOne(db, projects, 'from project where uuid = ?', uuid),
    slugs: async (uuids) => {
      const sql = 'select uuid, slug from project where uuid in (select value from json_each(?))'
      const rows = db.all<{ uuid: string; slug: string }>(sql, JSON.stringify(uuids))
      return new Map(rows.map(({ uuid, slug }) => [uuid, slug]))
    },
    list: async (team, only, page) => {
      const from =
        'from project where team = ?1 and (?2 is null or uuid in (select value from json_each(?2)))'
      const values = [team, only === null ? null : JSON.stringify(only)]
      return readPage(db, projects, { from, values, order: 'slug' }, page)
    },
    scheduled: async () => readAll(db, projects, 'from project where schedule is not null order by uuid'),
    retaining: async () =>
      readAll(db, projects, "from project where config ->> '$.retentionDays' is not null order by uuid"),
    update: async (project) =>
      updateRevision(
        db,
        projects,
        'name isPrivate whitelabel allowedDomains config updatedAt revision',
        project,
      ),
    delete: async (uuid) => {
      const deleted = db.write(() => {
        const row = db.get<{ id: number }>('delete from project where uuid = ? returning id', uuid)
        if (row !== undefined) cleanup.note('project', row.id)
        return row !== undefined
      })
      // No answer contains it any more: nobody has to wait for the rest.
      cleanup.schedule()
      chatCleanup.schedule()
      return deleted
    },
  }
}

export function createVocabulary(db: Connection): VocabularyStore {
  const ofProject = 'from vocabulary where project = (select id from project where uuid = ?)'
  return {
    version: async (project) =>
      db.get<{ version: number }>(`select version ${ofProject}`, project)?.version ?? 0,
    read: async (project) =>
      db.get<{ version: number; terms: Uint8Array }>(`select version, terms ${ofProject}`, project) ?? null,
    write: async (project, terms) =>
      db.get<{ version: number }>(
        `insert into vocabulary (project, version, terms) select id, 1, ? from project where uuid = ?
         on conflict (project) do update set version = version + 1, terms = excluded.terms returning version`,
        terms,
        project,
      )?.version ?? 0,
  }
}
