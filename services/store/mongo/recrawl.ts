// Recrawls of single pages.
import type { Recrawl, RecrawlStore } from '../recrawl.ts'
import type { MongoDb } from './connection.ts'
import { isOpen, type Journal, openProjects } from './journal.ts'
import { findPage, fromStored, insertMissing, type Stored, toStored } from './row.ts'

interface RecrawlRow extends Stored<Recrawl> {
  /** How often it was claimed since it was released. */
  claims?: number
  /** The batch that wrote it. */
  seq?: number
}

const toRecrawl = ({ claims: _, seq: _seq, ...row }: RecrawlRow): Recrawl => fromStored<Recrawl>(row)

const liveStatuses: Recrawl['status'][] = ['queued', 'running']
const isLive = { $in: liveStatuses }
const newestFirst = { createdAt: -1, _id: -1 } as const

export function createRecrawls(db: MongoDb, journal: Journal): RecrawlStore {
  const recrawls = db.collection<RecrawlRow>('recrawls')

  async function trim(project: string, maxEnded: number) {
    const ended = { project, status: { $nin: liveStatuses } }
    const old = recrawls
      .find(ended, { projection: { _id: 1 } })
      .sort(newestFirst)
      .skip(maxEnded)
    const ids = (await old.toArray()).map(({ _id }) => _id)
    if (ids.length > 0) await recrawls.deleteMany({ _id: { $in: ids } })
  }

  return {
    insert: async (recrawl) => {
      if (await isOpen(db, recrawl.project)) await insertMissing(recrawls, [toStored(recrawl)])
    },
    enqueue: async (recrawl, { maxLive, maxEnded }) => {
      const { project, url } = recrawl
      const queued = await journal.write<Recrawl | null>(project, async () => {
        const same = await recrawls.findOne({ project, url, status: 'queued' })
        if (same !== null) return { result: toRecrawl(same) }
        const liveCount = await recrawls.countDocuments({ project, status: isLive })
        if (liveCount >= maxLive) return { result: null }
        return { result: recrawl, writes: [{ to: 'recrawls', insert: [toStored(recrawl)] }] }
      })
      if (queued === recrawl) await trim(project, maxEnded)
      return queued
    },
    get: async (project, uuid) => {
      const row = (await isOpen(db, project)) ? await recrawls.findOne({ _id: uuid, project }) : null
      return row && toRecrawl(row)
    },
    list: async (project, page) =>
      (await isOpen(db, project))
        ? findPage(recrawls, { project }, newestFirst, page, toRecrawl)
        : { count: 0, rows: [] },
    live: async () => {
      const rows = await recrawls.find({ status: isLive }).sort({ createdAt: 1, _id: 1 }).toArray()
      const projects = rows.map((row) => row.project)
      const open = await openProjects(db, projects)
      return rows.filter((row) => open.has(row.project)).map(toRecrawl)
    },
    claim: async (uuid) => {
      const claimed = await recrawls.findOneAndUpdate(
        { _id: uuid, status: isLive },
        { $inc: { claims: 1 } },
        { returnDocument: 'after' },
      )
      return claimed?.claims ?? 0
    },
    release: async (uuid) => {
      await recrawls.updateOne({ _id: uuid }, { $set: { claims: 0 } })
    },
    settle: async (uuid, { status, reason, finishedAt, detail = null, message = null }) => {
      const change = { $set: { status, reason, detail, message, finishedAt } }
      return (await recrawls.updateOne({ _id: uuid, status: isLive }, change)).matchedCount > 0
    },
  }
}
