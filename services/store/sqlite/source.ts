// Sources of a project.
import { Conflict } from '../../errors.ts'
import type { Source, SourceStore } from '../source.ts'
import type { Cleanup } from './cleanup.ts'
import type { Connection } from './connection.ts'

type SourceRow = Omit<Source, 'include' | 'exclude' | 'options'> & {
  include: string
  exclude: string
  options: string
}

/** Sources with their project; order and page are appended. */
const selection = `select source.uuid, source.team, project.uuid as project, source.type, source.name, source.url, source.identity, source.options,
    source.include, source.exclude, source.max_pages as maxPages, source.max_depth as maxDepth,
    source.resolved_url as resolvedUrl, source.credentials, source.created_at as createdAt,
    source.last_crawled_at as lastCrawledAt, source.last_error as lastError, source.revision
  from project join source on source.project = project.id where project.uuid = ?`
const oldestFirst = 'order by source.created_at, source.uuid'

function toSource(row: SourceRow): Source {
  return {
    ...row,
    include: JSON.parse(row.include),
    exclude: JSON.parse(row.exclude),
    options: JSON.parse(row.options),
  }
}

/** SQLITE_CONSTRAINT_UNIQUE */
const notUnique = 2067

function orConflict<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if ((error as { errcode?: number }).errcode === notUnique) throw new Conflict('url')
    throw error
  }
}

export function createSources(db: Connection, cleanup: Cleanup): SourceStore {
  return {
    insert: async (source) => {
      db.write(() => {
        const holder = db.get<{ uuid: string }>(
          `select source.uuid from project join source on source.project = project.id
         where project.uuid = ? and source.type = ? and source.identity = ?`,
          source.project,
          source.type,
          source.identity,
        )
        if (holder !== undefined && holder.uuid !== source.uuid) throw new Conflict('url')
        db.run(
          `insert into source (project, uuid, team, type, name, url, identity, options, include, exclude, max_pages, max_depth,
           resolved_url, credentials, created_at, last_crawled_at, last_error, revision)
         select id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? from project where uuid = ?
         on conflict (uuid) do nothing`,
          source.uuid,
          source.team,
          source.type,
          source.name,
          source.url,
          source.identity,
          JSON.stringify(source.options),
          JSON.stringify(source.include),
          JSON.stringify(source.exclude),
          source.maxPages,
          source.maxDepth,
          source.resolvedUrl,
          source.credentials,
          source.createdAt,
          source.lastCrawledAt,
          source.lastError,
          source.revision,
          source.project,
        )
      })
    },
    get: async (project, uuid) => {
      const row = db.get<SourceRow>(`${selection} and source.uuid = ?`, project, uuid)
      return row === undefined ? null : toSource(row)
    },
    list: async (project, { offset, limit }) => ({
      count: db.get<{ n: number }>(
        'select count(*) as n from project join source on source.project = project.id where project.uuid = ?',
        project,
      )!.n,
      rows: db
        .all<SourceRow>(`${selection} ${oldestFirst} limit ? offset ?`, project, limit, offset)
        .map(toSource),
    }),
    all: async (project) => db.all<SourceRow>(`${selection} ${oldestFirst}`, project).map(toSource),
    uploadedSize: async (team) =>
      db.get<{ n: number }>(
        "select coalesce(sum(options ->> '$.size'), 0) as n from source where team = ? and options ->> '$.blob' is not null",
        team,
      )!.n,
    pageCounts: async (project) =>
      new Map(
        db
          .all<{ uuid: string; n: number }>(
            `select source.uuid, source.page_count as n from project join source on source.project = project.id
           where project.uuid = ? and source.page_count > 0`,
            project,
          )
          .map((row) => [row.uuid, row.n]),
      ),
    update: async (source) =>
      orConflict(() =>
        db.run(
          `update source set name = ?, identity = ?, options = ?, include = ?, exclude = ?, max_pages = ?, max_depth = ?,
         credentials = ?, revision = ? where uuid = ? and revision = ?`,
          source.name,
          source.identity,
          JSON.stringify(source.options),
          JSON.stringify(source.include),
          JSON.stringify(source.exclude),
          source.maxPages,
          source.maxDepth,
          source.credentials,
          source.revision,
          source.uuid,
          source.revision - 1,
        ),
      ) > 0,
    moved: async (uuid, resolvedUrl) => {
      db.run('update source set resolved_url = ? where uuid = ?', resolvedUrl, uuid)
    },
    crawled: async (uuid, at, resolvedUrl) => {
      db.run(
        `update source set last_crawled_at = ?1, resolved_url = ?2, last_error = null
       where uuid = ?3 and (last_crawled_at is null or last_crawled_at <= ?1)`,
        at,
        resolvedUrl,
        uuid,
      )
    },
    failed: async (uuid, error) => {
      db.run('update source set last_error = ? where uuid = ?', error, uuid)
    },
    delete: async (project, uuid) => {
      const deleted = db.write(() => {
        const row = db.get<{ id: number }>(
          'delete from source where uuid = ? and project = (select id from project where uuid = ?) returning id',
          uuid,
          project,
        )
        if (row !== undefined) cleanup.note('source', row.id)
        return row !== undefined
      })
      await cleanup.run()
      return deleted
    },
  }
}
