// Recrawls of single pages.
import { liveStatuses, type RecrawlQueue, recrawlTable as sharedTable } from '../recrawl.ts'
import { type Connection, quoted } from './connection.ts'
import { createRows, createTable } from './table.ts'

export const recrawlTable = createTable(sharedTable, { extra: ['claims integer not null default 0'] })

const live = `recrawl.status in (${quoted(liveStatuses)})`

export function createRecrawlQueue(db: Connection): RecrawlQueue {
  const recrawls = createRows(db, recrawlTable)
  return {
    enqueue: async (recrawl, { maxLive, maxEnded }) =>
      db.write(() => {
        const { project, url } = recrawl
        const same = recrawls.one({ project, url, status: 'queued' })
        if (same !== null) return same
        const count = db.count(`${recrawlTable.from} where project.uuid = ? and ${live}`, [project])
        if (count >= maxLive || !recrawls.insert(recrawl)) return null
        db.run(
          `delete from recrawl where uuid in (
             select recrawl.uuid ${recrawlTable.from} where project.uuid = ? and not ${live}
             order by recrawl.created_at desc, recrawl.uuid desc limit -1 offset ?)`,
          [project, maxEnded],
        )
        return recrawl
      }),
    claim: async (uuid) =>
      db.get<{ claims: number }>(
        `update recrawl set claims = claims + 1 where uuid = ? and ${live} returning claims`,
        [uuid],
      )?.claims ?? 0,
    release: async (uuid) => void db.run('update recrawl set claims = 0 where uuid = ?', [uuid]),
  }
}
