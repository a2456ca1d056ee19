// Sources of a project.
import { Conflict } from '../../errors.ts'
import type { Source, SourceStore } from '../source.ts'
import type { Cleanup } from './cleanup.ts'
import type { Connection } from './connection.ts'
import { createTable, readPage, refuseTaken, type Values } from './table.ts'

const sources = createTable<Source>('source', {
  plain:
    'uuid team type name url identity maxPages maxDepth resolvedUrl credentials createdAt lastCrawledAt state lastError revision',
  json: 'options include exclude',
  elsewhere: { project: 'project.uuid' },
})
const written = sources.set('name identity options include exclude maxPages maxDepth credentials revision')
const ofProject = 'from project join source on source.project = project.id where project.uuid = ?'
const selection = `select ${sources.columns} ${ofProject}`
const oldestFirst = 'source.created_at, source.uuid'

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
        const { project, type, identity } = source
        const taken = `select source.uuid ${ofProject} and source.type = ? and source.identity = ?`
        refuseTaken(db, 'url', source.uuid, taken, project, type, identity)
        db.run(
          `insert into source (project, ${sources.names})
           select id, ${sources.parameters} from project where uuid = $project on conflict (uuid) do nothing`,
          sources.values(source),
        )
      })
    },
    get: async (project, uuid) =>
      sources.toRowOrNull(db.get<Values<Source>>(`${selection} and source.uuid = ?`, project, uuid)),
    list: async (project, page) =>
      readPage(db, sources, { from: ofProject, values: [project], order: oldestFirst }, page),
    all: async (project) =>
      db.all<Values<Source>>(`${selection} order by ${oldestFirst}`, project).map(sources.toRow),
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
          `update source set ${written} where uuid = $uuid and revision = $revision - 1`,
          sources.values(source),
        ),
      ) > 0,
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
