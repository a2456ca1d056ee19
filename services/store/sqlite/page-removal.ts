// Holding the removal of pages back, and taking pages out. Writes go in chunks, so that others get between them.
import type { PageStore } from '../page.ts'
import { type Connection, yieldToWriters } from './connection.ts'
import { fencedProject } from './run-row.ts'

const chunkSize = 200

/** Runs one short transaction a chunk, until one of them answers false. */
async function inChunks<Row>(db: Connection, rows: Row[], work: (chunk: Row[]) => boolean): Promise<void> {
  for (let at = 0; at < rows.length; at += chunkSize) {
    if (!db.write(() => work(rows.slice(at, at + chunkSize)))) return
    await yieldToWriters()
  }
}

export function createRemoval(db: Connection): Pick<PageStore, 'hold' | 'remove'> {
  return {
    hold: async (uuid, fence, run, uuids) => {
      const wanted = new Set(uuids)
      const others = db
        .all<{ uuid: string }>(
          `select page.uuid from project join page on page.project = project.id
         where project.uuid = ? and page.held_by is not null`,
          uuid,
        )
        .flatMap((row) => (wanted.has(row.uuid) ? [] : [row.uuid]))
      const mark = (by: string | null) => (chunk: string[]) => {
        const project = fencedProject(db, uuid, fence)
        if (project === undefined) return false
        db.run(
          'update page set held_by = ? where project = ? and uuid in (select value from json_each(?))',
          by,
          project,
          JSON.stringify(chunk),
        )
        return true
      }
      await inChunks(db, others, mark(null))
      await inChunks(db, uuids, mark(run))
    },
    remove: async (uuid, fence, uuids) => {
      let removed = 0
      await inChunks(db, uuids, (chunk) => {
        const project = fencedProject(db, uuid, fence)
        if (project === undefined) return false
        const gone = db.run(
          'delete from page where project = ? and uuid in (select value from json_each(?))',
          project,
          JSON.stringify(chunk),
        )
        if (fence !== null)
          db.run(
            'update run set removed = removed + ? where id = (select live_run from project where id = ?)',
            gone,
            project,
          )
        removed += gone
        return true
      })
      return removed
    },
  }
}
