// Recrawls of single pages.
import type { Recrawl, RecrawlStore } from '../recrawl.ts'
import type { Connection } from './connection.ts'

const selection = `select recrawl.uuid, recrawl.team, project.uuid as project, recrawl.url, recrawl.status, recrawl.reason,
    recrawl.created_at as createdAt, recrawl.finished_at as finishedAt
  from recrawl join project on project.id = recrawl.project`

export function createRecrawls(db: Connection): RecrawlStore {
  return {
    insert: async (recrawl) => {
      db.run(
        `insert into recrawl (project, uuid, team, url, status, reason, created_at, finished_at)
       select id, ?, ?, ?, ?, ?, ?, ? from project where uuid = ? on conflict (uuid) do nothing`,
        recrawl.uuid,
        recrawl.team,
        recrawl.url,
        recrawl.status,
        recrawl.reason,
        recrawl.createdAt,
        recrawl.finishedAt,
        recrawl.project,
      )
    },
    get: async (project, uuid) => {
      const row = db.get<Recrawl>(`${selection} where recrawl.uuid = ? and project.uuid = ?`, uuid, project)
      return row === undefined ? null : { ...row }
    },
    list: async (project, { offset, limit }) => ({
      count: db.get<{ n: number }>(
        'select count(*) as n from project join recrawl on recrawl.project = project.id where project.uuid = ?',
        project,
      )!.n,
      rows: db
        .all<Recrawl>(
          `${selection} where project.uuid = ? order by recrawl.created_at desc, recrawl.uuid desc limit ? offset ?`,
          project,
          limit,
          offset,
        )
        .map((row) => ({ ...row })),
    }),
    live: async () =>
      db
        .all<Recrawl>(
          `${selection} where recrawl.status in ('queued', 'running') order by recrawl.created_at, recrawl.uuid`,
        )
        .map((row) => ({ ...row })),
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
        `update recrawl set status = ?, reason = ?, finished_at = ?
       where uuid = ? and status in ('queued', 'running')`,
        to.status,
        to.reason,
        to.finishedAt,
        uuid,
      ) > 0,
  }
}
