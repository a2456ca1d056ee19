// Marking the pages whose removal is held.
import type { PageStore } from '../page.ts'
import { inChunks } from './chunks.ts'
import type { MongoDb } from './connection.ts'
import { type Journal, mayWrite } from './journal.ts'
import { pageRows } from './page-row.ts'

/** Pages that one batch marks. */
const chunkSize = 500

export const createHold = (db: MongoDb, journal: Journal): Pick<PageStore, 'hold'> => ({
  hold: async (uuid, fence, run, uuids) => {
    const wanted = new Set(uuids)
    const held = await pageRows(db)
      .find({ project: uuid, heldBy: { $ne: null } }, { projection: { heldBy: 1 } })
      .toArray()
    const others = held.flatMap((row) => (wanted.has(row._id) ? [] : [row._id]))

    const mark = (by: string | null) => async (chunk: string[]) =>
      (await journal.write(uuid, async (project) => {
        if (!mayWrite(project, fence)) return { result: false }
        const rows = await pageRows(db)
          .find({ _id: { $in: chunk }, project: uuid, state: 'current' })
          .toArray()
        const set = rows.flatMap(({ _id, heldBy }) => (heldBy === by ? [] : [{ _id, heldBy: by }]))
        return set.length === 0 ? { result: true } : { result: true, writes: [{ to: 'pages', set }] }
      })) ?? false
    await inChunks(others, chunkSize, mark(null))
    await inChunks(uuids, chunkSize, mark(run))
  },
})
