// Sources of a project.
import { Conflict } from '../../errors.ts'
import type { Source, SourceStore } from '../source.ts'
import type { Cleanup } from './cleanup.ts'
import type { Connection } from './connection.ts'
import { createTable, insertNew, readAll, readOne, readPage, refuseTaken, updateRevision } from './table.ts'

const sources = createTable<Source>('source', {
  plain:
    'uuid team type name url identity maxPages maxDepth resolvedUrl credentials createdAt lastCrawledAt state lastError revision',
  json: 'options include exclude',
  elsewhere: { project: 'project.uuid' },
})
const ofProject = 'from project join source on source.project = project.id where project.uuid = ?'
const oldestFirst = 'source.created_at, source.uuid'

/** SQLITE_CONSTRAINT_UNIQUE */
const notUnique = 2067

export function createSources(db: Connection, cleanup: Cleanup): SourceStore {
  return {
    insert: async (source) => {
      db.write(() => {
        const { project, type, identity } = source
        const taken = `select source.uuid ${ofProject} and source.type = ? and source.identity = ?`
        refuseTaken(db, 'url', source.uuid, taken, project, type, identity)
        insertNew(db, sources, source)
      })
    },
    get: async (project, uuid) => readOne(db, sources, `${ofProject} and source.uuid = ?`, project, uuid),
    list: async (project, page) =>
      readPage(db, sources, { from: ofProject, values: [project], order: oldestFirst }, page),
    all: async (project) => readAll(db, sources, `${ofProject} order by ${oldestFirst}`, project),
    uploadedSize: async (team) =>
      db.get<{ n: number }>(
        "select coalesce(sum(options ->> '$.size'), 0) as n from source where team = ? and options ->> '$.blob' is not null",
        team,
      )!.n,
    pageCounts: async (project) => {
      const rows = db.all<{ uuid: string; n: number }>(
        `select source.uuid, (select count(*) from page_source where page_source.source = source.id) as n ${ofProject}`,
        project,
      )
      return new Map(rows.flatMap(({ uuid, n }) => (n === 0 ? [] : [[uuid, n]])))
    },
    update: async (source) => {
      const fields = 'name identity options include exclude maxPages maxDepth credentials revision'
      try {
        return updateRevision(db, sources, fields, source)
      } catch (error) {
        throw (error as { errcode?: number }).errcode === notUnique ? new Conflict('url') : error
      }
    },
    moved: async (uuid, resolvedUrl) => {
      db.run('update source set resolved_url = ? where uuid = ?', resolvedUrl, uuid)
    },
    crawled: async (uuid, at, resolvedUrl, lastError) => {
      db.run(
        `update source set last_crawled_at = ?1, resolved_url = ?2, state = 'ok', last_error = ?4
         where uuid = ?3 and (last_crawled_at is null or last_crawled_at <= ?1)`,
        at,
        resolvedUrl,
        uuid,
        lastError,
      )
    },
    failed: async (uuid, error) => {
      db.run("update source set state = 'failed', last_error = ? where uuid = ?", error, uuid)
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
