// Recrawls of single pages.
import type { Recrawl, RecrawlStore } from '../recrawl.ts'
import type { MongoDb } from './connection.ts'
import type { Journal } from './journal.ts'
import { openProject, openProjects } from './project-row.ts'
import { fromStored, insertMissing, type Stored, toStored } from './row.ts'

const live = ['queued', 'running'] as const

interface RecrawlRow extends Stored<Recrawl> {
  /** How often it was claimed since it was released. */
  claims?: number
  /** The batch that wrote it. */
  seq?: number
}

const toRecrawl = ({ claims: _, seq: _seq, ...row }: RecrawlRow): Recrawl => fromStored<Recrawl>(row)

const newestFirst = { createdAt: -1, _id: -1 } as const

export function createRecrawls(db: MongoDb, journal: Journal): RecrawlStore {
  const recrawls = db.collection<RecrawlRow>('recrawls')

  async function trim(project: string, maxEnded: number) {
    const ended = { project, status: { $nin: [...live] } }
    const old = recrawls
      .find(ended, { projection: { _id: 1 } })
      .sort(newestFirst)
      .skip(maxEnded)
    const ids = (await old.toArray()).map(({ _id }) => _id)
    if (ids.length > 0) await recrawls.deleteMany({ _id: { $in: ids } })
  }

  return {
    insert: async (recrawl) => {
      if (await openProject(db, recrawl.project)) await insertMissing(recrawls, [toStored(recrawl)])
    },
    enqueue: async (recrawl, { maxLive, maxEnded }) => {
      const { project, url } = recrawl
      const queued = await journal.write<Recrawl | null>(project, async () => {
        const same = await recrawls.findOne({ project, url, status: 'queued' })
        if (same !== null) return { result: toRecrawl(same) }
        if ((await recrawls.countDocuments({ project, status: { $in: [...live] } })) >= maxLive)
          return { result: null }
        return { result: recrawl, writes: [{ to: 'recrawls', insert: [toStored(recrawl)] }] }
      })
      if (queued === recrawl) await trim(project, maxEnded)
      return queued
    },
    get: async (project, uuid) => {
      const [row, open] = await Promise.all([recrawls.findOne({ _id: uuid }), openProject(db, project)])
      return open && row?.project === project ? toRecrawl(row) : null
    },
    list: async (project, { offset, limit }) => {
      if (!(await openProject(db, project))) return { count: 0, rows: [] }
      const rows = recrawls.find({ project }).sort(newestFirst).skip(offset).limit(limit)
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
      const claimed = await recrawls.findOneAndUpdate(
        { _id: uuid, status: { $in: [...live] } },
        { $inc: { claims: 1 } },
        { returnDocument: 'after' },
      )
      return claimed?.claims ?? 0
    },
    release: async (uuid) => {
      await recrawls.updateOne({ _id: uuid }, { $set: { claims: 0 } })
    },
    settle: async (uuid, { status, reason, finishedAt, detail = null, message = null }) => {
      const moving = { _id: uuid, status: { $in: [...live] } }
      return (
        (await recrawls.updateOne(moving, { $set: { status, reason, detail, message, finishedAt } }))
          .matchedCount > 0
      )
    },
  }
}
