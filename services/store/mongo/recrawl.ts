// Recrawls of single pages.
import type { Recrawl, RecrawlStore } from '../recrawl.ts'
import type { MongoDb } from './connection.ts'
import { isOpen, type Journal, openProjects } from './journal.ts'
import { createRows, insertMissing, newestFirst, oldestFirst, type Stored, toStored } from './row.ts'

interface RecrawlRow extends Stored<Recrawl> {
  /** Number of claims since the last release. */
  claims?: number
  /** Number of the batch that wrote it. */
  seq?: number
}

const liveStatuses: Recrawl['status'][] = ['queued', 'running']
const isLive = { $in: liveStatuses }

export function createRecrawls(db: MongoDb, journal: Journal): RecrawlStore {
  const { documents: recrawls, ...rows } = createRows<Recrawl, RecrawlRow>(db, 'recrawls', ['claims', 'seq'])

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
        const same = await rows.one({ project, url, status: 'queued' })
        if (same !== null) return { result: same }
        const liveCount = await recrawls.countDocuments({ project, status: isLive })
        if (liveCount >= maxLive) return { result: null }
        return { result: recrawl, writes: [{ to: 'recrawls', insert: [toStored(recrawl)] }] }
      })
      if (queued === recrawl) await trim(project, maxEnded)
      return queued
    },
    get: async (project, uuid) => ((await isOpen(db, project)) ? rows.one({ _id: uuid, project }) : null),
    list: async (project, page) =>
      (await isOpen(db, project)) ? rows.page({ project }, newestFirst, page) : { count: 0, rows: [] },
    live: async () => {
      const live = await rows.all({ status: isLive }, oldestFirst)
      const projects = live.map(({ project }) => project)
      const open = await openProjects(db, projects)
      return live.filter(({ project }) => open.has(project))
    },
    claim: async (uuid) => {
      const claimed = await recrawls.findOneAndUpdate(
        { _id: uuid, status: isLive },
        { $inc: { claims: 1 } },
        { returnDocument: 'after' },
      )
      return claimed?.claims ?? 0
    },
    release: async (uuid) => void (await recrawls.updateOne({ _id: uuid }, { $set: { claims: 0 } })),
    settle: async (uuid, { status, reason, finishedAt, detail = null, message = null }) => {
      const change = { $set: { status, reason, detail, message, finishedAt } }
      return (await recrawls.updateOne({ _id: uuid, status: isLive }, change)).matchedCount > 0
    },
  }
}
