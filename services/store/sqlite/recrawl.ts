// Recrawls of single pages.
import type { Recrawl, RecrawlStore } from '../recrawl.ts'
import type { Connection } from './connection.ts'
import { createTable, insertNew, readAll, readOne, readPage } from './table.ts'

const recrawls = createTable<Recrawl>('recrawl', {
  plain: 'uuid team url status reason detail message createdAt finishedAt',
  elsewhere: { project: 'project.uuid' },
})
const joined = 'from recrawl join project on project.id = recrawl.project'
const live = "recrawl.status in ('queued', 'running')"
const newestFirst = 'recrawl.created_at desc, recrawl.uuid desc'

export function createRecrawls(db: Connection): RecrawlStore {
  return {
    insert: async (recrawl) => {
      insertNew(db, recrawls, recrawl)
    },
    enqueue: async (recrawl, { maxLive, maxEnded }) =>
      db.write(() => {
        const { project, url } = recrawl
        // `live` lets SQLite use the index of live recrawls; without it all recrawls of the project are read.
        const queued = `${joined} where project.uuid = ? and recrawl.url = ? and recrawl.status = 'queued' and ${live}`
        const same = readOne(db, recrawls, queued, project, url)
        if (same !== null) return same
        const { count } = db.get<{ count: number }>(
          `select count(*) as count ${joined} where project.uuid = ? and ${live}`,
          project,
        )!
        if (count >= maxLive || !insertNew(db, recrawls, recrawl)) return null
        db.run(
          `delete from recrawl where uuid in (
             select recrawl.uuid ${joined} where project.uuid = ? and not ${live}
             order by ${newestFirst} limit -1 offset ?)`,
          project,
          maxEnded,
        )
        return recrawl
      }),
    get: async (project, uuid) =>
      readOne(db, recrawls, `${joined} where recrawl.uuid = ? and project.uuid = ?`, uuid, project),
    list: async (project, page) => {
      const from = `${joined} where project.uuid = ?`
      return readPage(db, recrawls, { from, values: [project], order: newestFirst }, page)
    },
    live: async () =>
      readAll(db, recrawls, `${joined} where ${live} order by recrawl.created_at, recrawl.uuid`),
    claim: async (uuid) =>
      db.get<{ claims: number }>(
        `update recrawl set claims = claims + 1 where uuid = ? and ${live} returning claims`,
        uuid,
      )?.claims ?? 0,
    release: async (uuid) => {
      db.run('update recrawl set claims = 0 where uuid = ?', uuid)
    },
    settle: async (uuid, { status, reason, detail = null, message = null, finishedAt }) =>
      db.run(
        `update recrawl set status = ?, reason = ?, detail = ?, message = ?, finished_at = ? where uuid = ? and ${live}`,
        status,
        reason,
        detail,
        message,
        finishedAt,
        uuid,
      ) > 0,
  }
}
