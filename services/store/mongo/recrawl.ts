// Recrawls of single pages.
import { liveStatuses, type Recrawl, type RecrawlQueue, recrawlTable } from '../recrawl.ts'
import { newestFirst } from '../rows.ts'
import type { MongoDb } from './connection.ts'
import type { Journal } from './journal.ts'
import { type Stored, toStored } from './row.ts'
import { createRows, toOrder } from './rows.ts'

interface RecrawlRow extends Stored<Recrawl> {
  /** Number of claims since the last release. */
  claims?: number
  /** Number of the batch that wrote it. */
  seq?: number
}

const isLive = { $in: liveStatuses }

/** Fields of the documents that are not in rows. */
export const own = { fields: ['claims', 'seq'] }

export function createRecrawlQueue(db: MongoDb, journal: Journal): RecrawlQueue {
  const { documents: recrawls, ...rows } = createRows<Recrawl, RecrawlRow>(db, recrawlTable, own)

  async function trim(project: string, maxEnded: number) {
    const ended = { project, status: { $nin: liveStatuses } }
    const old = recrawls
      .find(ended, { projection: { _id: 1 } })
      .sort(toOrder(newestFirst))
      .skip(maxEnded)
    const ids = (await old.toArray()).map(({ _id }) => _id)
    if (ids.length > 0) await recrawls.deleteMany({ _id: { $in: ids } })
  }

  return {
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
    claim: async (uuid) => {
      const claimed = await recrawls.findOneAndUpdate(
        { _id: uuid, status: isLive },
        { $inc: { claims: 1 } },
        { returnDocument: 'after' },
      )
      return claimed?.claims ?? 0
    },
    release: async (uuid) => void (await recrawls.updateOne({ _id: uuid }, { $set: { claims: 0 } })),
  }
}
