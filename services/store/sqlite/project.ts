import type { Project, ProjectStore } from '../project.ts'
import type { Cleanup, CleanupWork } from './cleanup.ts'
import type { Connection } from './connection.ts'
import { createTable, readPage, refuseTaken, type Values } from './table.ts'

const projects = createTable<Project>('project', {
  plain: 'uuid team slug name createdAt updatedAt revision indexedAt',
  json: 'allowedDomains config',
  flag: 'isPrivate whitelabel',
})
const selection = `select ${projects.columns} from project`
const written = projects.set('name isPrivate whitelabel allowedDomains config updatedAt revision')

/** Whether the project is there: what names it by its uuid in another file counts only while it is. */
export function hasProject(db: Connection, uuid: string): boolean {
  return db.get('select 1 from project where uuid = ?', uuid) !== undefined
}

export function createProjects(db: Connection, cleanup: Cleanup, chatCleanup: CleanupWork): ProjectStore {
  const get = (where: string, value: string) =>
    projects.toRowOrNull(db.get<Values<Project>>(`${selection} where ${where}`, value))
  const all = (where: string) =>
    db.all<Values<Project>>(`${selection} where ${where} order by uuid`).map(projects.toRow)
  return {
    insert: async (project) => {
      db.write(() => {
        refuseTaken(db, 'slug', project.uuid, 'select uuid from project where slug = ?', project.slug)
        db.run(
          `insert into project (${projects.names}) values (${projects.parameters}) on conflict (uuid) do nothing`,
          projects.values(project),
        )
      })
    },
    bySlug: async (slug) => get('slug = ?', slug),
    byUuid: async (uuid) => get('uuid = ?', uuid),
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
    scheduled: async () => all('schedule is not null'),
    retaining: async () => all("config ->> '$.retentionDays' is not null"),
    update: async (project) =>
      db.run(
        `update project set ${written} where uuid = $uuid and revision = $revision - 1`,
        projects.values(project),
      ) > 0,
    delete: async (uuid) => {
      const deleted = db.write(() => {
        const row = db.get<{ id: number }>('delete from project where uuid = ? returning id', uuid)
        if (row !== undefined) cleanup.note('project', row.id)
        return row !== undefined
      })
      // Out of every answer already: what it leaves is cleared without anyone waiting for it.
      cleanup.schedule()
      chatCleanup.schedule()
      return deleted
    },
  }
}
