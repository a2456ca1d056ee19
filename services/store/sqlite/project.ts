import { Conflict } from '../../errors.ts'
import type { Project, ProjectStore } from '../project.ts'
import type { Cleanup, CleanupWork } from './cleanup.ts'
import type { Connection } from './connection.ts'

type ProjectRow = Omit<Project, 'isPrivate' | 'whitelabel' | 'allowedDomains' | 'config'> & {
  isPrivate: number
  whitelabel: number
  allowedDomains: string
  config: string
}

const columns = `uuid, team, slug, name, is_private as isPrivate, whitelabel, allowed_domains as allowedDomains, config,
  created_at as createdAt, updated_at as updatedAt, revision, indexed_at as indexedAt`

function toProject(row: ProjectRow): Project {
  return {
    ...row,
    isPrivate: row.isPrivate === 1,
    whitelabel: row.whitelabel === 1,
    allowedDomains: JSON.parse(row.allowedDomains),
    config: JSON.parse(row.config),
  }
}

function toProjectOrNull(row: ProjectRow | undefined): Project | null {
  return row === undefined ? null : toProject(row)
}

/** Whether the project is there: what names it by its uuid in another file counts only while it is. */
export function hasProject(db: Connection, uuid: string): boolean {
  return db.get('select 1 from project where uuid = ?', uuid) !== undefined
}

export function createProjects(db: Connection, cleanup: Cleanup, chatCleanup: CleanupWork): ProjectStore {
  return {
    insert: async (project) => {
      db.write(() => {
        const holder = db.get<{ uuid: string }>('select uuid from project where slug = ?', project.slug)
        if (holder !== undefined && holder.uuid !== project.uuid) throw new Conflict('slug')
        db.run(
          `insert into project (uuid, team, slug, name, is_private, whitelabel, allowed_domains, config, created_at,
           updated_at, revision, indexed_at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (uuid) do nothing`,
          project.uuid,
          project.team,
          project.slug,
          project.name,
          Number(project.isPrivate),
          Number(project.whitelabel),
          JSON.stringify(project.allowedDomains),
          JSON.stringify(project.config),
          project.createdAt,
          project.updatedAt,
          project.revision,
          project.indexedAt,
        )
      })
    },
    bySlug: async (slug) =>
      toProjectOrNull(db.get<ProjectRow>(`select ${columns} from project where slug = ?`, slug)),
    byUuid: async (uuid) =>
      toProjectOrNull(db.get<ProjectRow>(`select ${columns} from project where uuid = ?`, uuid)),
    list: async (team, only, { offset, limit }) => {
      const where = 'team = ?1 and (?2 is null or uuid in (select value from json_each(?2)))'
      const uuids = only === null ? null : JSON.stringify(only)
      return {
        count: db.get<{ n: number }>(`select count(*) as n from project where ${where}`, team, uuids)!.n,
        rows: db
          .all<ProjectRow>(
            `select ${columns} from project where ${where} order by slug limit ?3 offset ?4`,
            team,
            uuids,
            limit,
            offset,
          )
          .map(toProject),
      }
    },
    scheduled: async () =>
      db
        .all<ProjectRow>(`select ${columns} from project where schedule is not null order by uuid`)
        .map(toProject),
    retaining: async () =>
      db
        .all<ProjectRow>(
          `select ${columns} from project where config ->> '$.retentionDays' is not null order by uuid`,
        )
        .map(toProject),
    update: async (project) =>
      db.run(
        `update project set name = ?, is_private = ?, whitelabel = ?, allowed_domains = ?, config = ?, updated_at = ?,
         revision = ? where uuid = ? and revision = ?`,
        project.name,
        Number(project.isPrivate),
        Number(project.whitelabel),
        JSON.stringify(project.allowedDomains),
        JSON.stringify(project.config),
        project.updatedAt,
        project.revision,
        project.uuid,
        project.revision - 1,
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
