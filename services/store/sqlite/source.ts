// Sources of a project.
import { Conflict } from '../../errors.ts'
import type { Source, SourceStore } from '../source.ts'
import type { Cleanup } from './cleanup.ts'
import type { Connection } from './connection.ts'
import { createRows, createTable } from './table.ts'

const sourceTable = createTable<Source>(
  'source',
  `uuid team type name url identity include:json exclude:json maxPages:int? maxDepth:int? resolvedUrl? options:json
   credentials? createdAt lastCrawledAt? state lastError? revision:int`,
  {
    extra: `id integer primary key autoincrement,
  project integer not null,
  unique (project, type, identity)`,
    from: 'from project join source on source.project = project.id',
    elsewhere: { project: 'project.uuid' },
  },
)

export const sourceSchema = `
${sourceTable.sql}
create index source_of_project on source (project, created_at, uuid);
`

const ofProject = 'where project.uuid = ?'

/** SQLITE_CONSTRAINT_UNIQUE */
const notUnique = 2067

export function createSources(db: Connection, cleanup: Cleanup): SourceStore {
  const sources = createRows(db, sourceTable)
  return {
    insert: async (source) =>
      sources.insertUnique(source, 'url', `${ofProject} and source.type = ? and source.identity = ?`, [
        source.project,
        source.type,
        source.identity,
      ]),
    get: async (project, uuid) => sources.one(`${ofProject} and source.uuid = ?`, [project, uuid]),
    all: async (project) => sources.all(`${ofProject} order by source.created_at, source.uuid`, [project]),
    uploadedSize: async (team) =>
      db.get<{ n: number }>(
        "select coalesce(sum(options ->> '$.size'), 0) as n from source where team = ? and options ->> '$.blob' is not null",
        [team],
      )!.n,
    pageCounts: async (project) => {
      const rows = db.all<{ uuid: string; n: number }>(
        `select source.uuid, (select count(*) from page_source where page_source.source = source.id) as n
         ${sourceTable.from} ${ofProject}`,
        [project],
      )
      return new Map(rows.flatMap(({ uuid, n }) => (n === 0 ? [] : [[uuid, n]])))
    },
    update: async (source) => {
      const fields = 'name identity options include exclude maxPages maxDepth credentials revision'
      try {
        return sources.update(source, fields)
      } catch (error) {
        throw (error as { errcode?: number }).errcode === notUnique ? new Conflict('url') : error
      }
    },
    moved: async (uuid, resolvedUrl) =>
      void db.run('update source set resolved_url = ? where uuid = ?', [resolvedUrl, uuid]),
    crawled: async (uuid, at, resolvedUrl, lastError) => {
      db.run(
        `update source set last_crawled_at = ?1, resolved_url = ?2, state = 'ok', last_error = ?4
         where uuid = ?3 and (last_crawled_at is null or last_crawled_at <= ?1)`,
        [at, resolvedUrl, uuid, lastError],
      )
    },
    failed: async (uuid, error) =>
      void db.run("update source set state = 'failed', last_error = ? where uuid = ?", [error, uuid]),
    delete: async (project, uuid) => {
      const ofThis = 'uuid = ? and project = (select id from project where uuid = ?)'
      const isDeleted = db.write(() => cleanup.delete('source', ofThis, [uuid, project]))
      await cleanup.run()
      return isDeleted
    },
  }
}
