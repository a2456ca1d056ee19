// Recrawls of single pages.
import type { Recrawl, RecrawlStore } from '../recrawl.ts'
import type { Connection } from './connection.ts'
import { createTable, readPage, type Values } from './table.ts'

const recrawls = createTable<Recrawl>('recrawl', {
  plain: 'uuid team url status reason detail message createdAt finishedAt',
  elsewhere: { project: 'project.uuid' },
})
const joined = 'from recrawl join project on project.id = recrawl.project'
const selection = `select ${recrawls.columns} ${joined}`

const live = "recrawl.status in ('queued', 'running')"
const trim = `delete from recrawl where uuid in (
  select recrawl.uuid ${joined} where project.uuid = ? and not ${live}
  order by recrawl.created_at desc, recrawl.uuid desc limit -1 offset ?)`

export function createRecrawls(db: Connection): RecrawlStore {
  function insert(recrawl: Recrawl): boolean {
    const inserted = db.run(
      `insert into recrawl (project, ${recrawls.names})
       select id, ${recrawls.parameters} from project where uuid = $project on conflict (uuid) do nothing`,
      recrawls.values(recrawl),
    )
    return inserted > 0
  }

  return {
    insert: async (recrawl) => {
      insert(recrawl)
    },
    enqueue: async (recrawl, { maxLive, maxEnded }) =>
      db.write(() => {
        const { project, url } = recrawl
        // `live` lets SQLite use the index of live recrawls; without it all recrawls of the project are read.
        const queued = `${selection} where project.uuid = ? and recrawl.url = ? and recrawl.status = 'queued' and ${live}`
        const same = recrawls.toRowOrNull(db.get<Values<Recrawl>>(queued, project, url))
        if (same !== null) return same
        const { count } = db.get<{ count: number }>(
          `select count(*) as count ${joined} where project.uuid = ? and ${live}`,
          project,
        )!
        if (count >= maxLive || !insert(recrawl)) return null
        db.run(trim, project, maxEnded)
        return recrawl
      }),
    get: async (project, uuid) =>
      recrawls.toRowOrNull(
        db.get<Values<Recrawl>>(`${selection} where recrawl.uuid = ? and project.uuid = ?`, uuid, project),
      ),
    list: async (project, page) => {
      const newestFirst = 'recrawl.created_at desc, recrawl.uuid desc'
      const from = `${joined} where project.uuid = ?`
      return readPage(db, recrawls, { from, values: [project], order: newestFirst }, page)
    },
    live: async () =>
      db
        .all<Values<Recrawl>>(`${selection} where ${live} order by recrawl.created_at, recrawl.uuid`)
        .map(recrawls.toRow),
    claim: async (uuid) =>
      db.get<{ times: number }>(
        `update recrawl set taken_up = taken_up + 1 where uuid = ? and status in ('queued', 'running')
       returning taken_up as times`,
        uuid,
      )?.times ?? 0,
    release: async (uuid) => {
      db.run('update recrawl set taken_up = 0 where uuid = ?', uuid)
    },
    settle: async (uuid, to) =>
      db.run(
        `update recrawl set status = ?, reason = ?, detail = ?, message = ?, finished_at = ?
       where uuid = ? and status in ('queued', 'running')`,
        to.status,
        to.reason,
        to.detail ?? null,
        to.message ?? null,
        to.finishedAt,
        uuid,
      ) > 0,
  }
}
