// Recrawls of single pages.
import type { Recrawl, RecrawlStore } from '../recrawl.ts'
import type { Connection } from './connection.ts'
import { createRows, createTable } from './table.ts'

const recrawlTable = createTable<Recrawl>(
  'recrawl',
  'uuid team url status reason? detail? message? createdAt finishedAt?',
  {
    extra: 'project integer not null, claims integer not null default 0',
    from: 'from project join recrawl on recrawl.project = project.id',
    elsewhere: { project: 'project.uuid' },
  },
)

export const recrawlSchema = `
${recrawlTable.sql}
create index recrawl_of_project on recrawl (project, created_at, uuid);
create index recrawl_live on recrawl (created_at, uuid) where status in ('queued', 'running');
create index recrawl_live_of_project on recrawl (project, url) where status in ('queued', 'running');
`

const live = "recrawl.status in ('queued', 'running')"
const newestFirst = 'order by recrawl.created_at desc, recrawl.uuid desc'

export function createRecrawls(db: Connection): RecrawlStore {
  const recrawls = createRows(db, recrawlTable)
  return {
    insert: async (recrawl) => void recrawls.insert(recrawl),
    enqueue: async (recrawl, { maxLive, maxEnded }) =>
      db.write(() => {
        const { project, url } = recrawl
        // `live` lets SQLite use the index of live recrawls instead of reading all recrawls of the project.
        const queued = `where project.uuid = ? and recrawl.url = ? and recrawl.status = 'queued' and ${live}`
        const same = recrawls.one(queued, [project, url])
        if (same !== null) return same
        const count = db.count(`${recrawlTable.from} where project.uuid = ? and ${live}`, [project])
        if (count >= maxLive || !recrawls.insert(recrawl)) return null
        db.run(
          `delete from recrawl where uuid in (
             select recrawl.uuid ${recrawlTable.from} where project.uuid = ? and not ${live}
             ${newestFirst} limit -1 offset ?)`,
          [project, maxEnded],
        )
        return recrawl
      }),
    get: async (project, uuid) =>
      recrawls.one('where recrawl.uuid = ? and project.uuid = ?', [uuid, project]),
    list: async (project, page) => recrawls.page(`where project.uuid = ? ${newestFirst}`, [project], page),
    live: async () => recrawls.all(`where ${live} order by recrawl.created_at, recrawl.uuid`),
    claim: async (uuid) =>
      db.get<{ claims: number }>(
        `update recrawl set claims = claims + 1 where uuid = ? and ${live} returning claims`,
        [uuid],
      )?.claims ?? 0,
    release: async (uuid) => void db.run('update recrawl set claims = 0 where uuid = ?', [uuid]),
    settle: async (uuid, outcome) =>
      db.run(
        `update recrawl set ${recrawlTable.set('status reason detail message finishedAt')} where uuid = $uuid and ${live}`,
        { detail: null, message: null, ...outcome, uuid },
      ) > 0,
  }
}
