// Recrawls of single pages.
import type { Recrawl, RecrawlStore } from '../recrawl.ts'
import type { MongoDb } from './connection.ts'
import { openProject, openProjects } from './project-row.ts'
import { fromStored, insertMissing, type Stored, toStored } from './row.ts'

const live = ['queued', 'running'] as const

interface RecrawlRow extends Stored<Recrawl> {
  /** Absent in rows of earlier versions, as in those that nobody has taken up. */
  takenUp?: number
}

const toRecrawl = ({ takenUp: _, ...row }: RecrawlRow): Recrawl => fromStored<Recrawl>(row)

export function createRecrawls(db: MongoDb): RecrawlStore {
  const recrawls = db.collection<RecrawlRow>('recrawls')
  return {
    insert: async (recrawl) => {
      if (await openProject(db, recrawl.project)) await insertMissing(recrawls, [toStored(recrawl)])
    },
    get: async (project, uuid) => {
      const [row, open] = await Promise.all([recrawls.findOne({ _id: uuid }), openProject(db, project)])
      return open && row?.project === project ? toRecrawl(row) : null
    },
    list: async (project, { offset, limit }) => {
      if (!(await openProject(db, project))) return { count: 0, rows: [] }
      const rows = recrawls.find({ project }).sort({ createdAt: -1, _id: -1 }).skip(offset).limit(limit)
      return {
        count: await recrawls.countDocuments({ project }),
        rows: (await rows.toArray()).map(toRecrawl),
      }
    },
    live: async () => {
      const rows = await recrawls
        .find({ status: { $in: [...live] } })
        .sort({ createdAt: 1, _id: 1 })
        .toArray()
      const open = await openProjects(db, [...new Set(rows.map((row) => row.project))])
      return rows.filter((row) => open.has(row.project)).map(toRecrawl)
    },
    claim: async (uuid) => {
      const taken = await recrawls.findOneAndUpdate(
        { _id: uuid, status: { $in: [...live] } },
        { $inc: { takenUp: 1 } },
        { returnDocument: 'after' },
      )
      return taken?.takenUp ?? 0
    },
    release: async (uuid) => {
      await recrawls.updateOne({ _id: uuid }, { $set: { takenUp: 0 } })
    },
    settle: async (uuid, { status, reason, finishedAt }) => {
      const moving = { _id: uuid, status: { $in: [...live] } }
      return (await recrawls.updateOne(moving, { $set: { status, reason, finishedAt } })).matchedCount > 0
    },
  }
}
