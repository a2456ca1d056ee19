// Message limits. A window is a single document, so that all processes share its count.
import type { LimitStore } from '../limit.ts'
import { endOfPrefix } from '../paging.ts'
import type { MongoDb } from './connection.ts'
import { deleteInSteps, upserting } from './row.ts'

interface Window {
  _id: string
  count: number
  endsAt: number
}

interface Block {
  _id: string
  until: number
}

export function createLimits(db: MongoDb): LimitStore {
  const windows = db.collection<Window>('limit_windows')
  const blocks = db.collection<Block>('limit_blocks')
  return {
    /**
     * Counts in the open window, or begins one. Of several concurrent calls without an open window, one begins it and the
     * others count in it:
     *
     *     first call at 1,060    {_id: a, count: 9, endsAt: 1,060} has ended → {count: 1, endsAt: 1,120}
     *     second call at 1,060   the window is open → {count: 2}
     */
    hit: (key, windowMs, now) =>
      upserting(async () => {
        const counted =
          (await windows.findOneAndUpdate(
            { _id: key, endsAt: { $gt: now } },
            { $inc: { count: 1 } },
            { returnDocument: 'after' },
          )) ??
          (await windows.findOneAndUpdate(
            { _id: key, endsAt: { $lte: now } },
            { $set: { count: 1, endsAt: now + windowMs } },
            { returnDocument: 'after', upsert: true },
          ))
        return { count: counted!.count, endsAt: counted!.endsAt }
      }),
    takeBack: async (key, now) => {
      await windows.updateOne({ _id: key, endsAt: { $gt: now }, count: { $gt: 0 } }, { $inc: { count: -1 } })
    },
    block: async (key, until) => {
      await upserting(() => blocks.updateOne({ _id: key }, { $max: { until } }, { upsert: true }))
    },
    blockedUntil: async (key) => (await blocks.findOne({ _id: key }))?.until ?? 0,
    blocks: async (after, limit) => {
      const found = blocks
        .find({ until: { $gt: after } })
        .sort({ until: -1 })
        .limit(limit)
      return (await found.toArray()).map(({ _id, until }) => ({ key: _id, until }))
    },
    busiest: async (prefix, after, limit) => {
      const found = windows
        .find({ _id: { $gte: prefix, $lt: endOfPrefix(prefix) }, endsAt: { $gt: after } })
        .sort({ count: -1, _id: 1 })
        .limit(limit)
      return (await found.toArray()).map(({ _id, count, endsAt }) => ({ key: _id, count, endsAt }))
    },
    prune: async (now) => {
      await deleteInSteps(windows, { endsAt: { $lte: now } })
      await deleteInSteps(blocks, { until: { $lte: now } })
    },
  }
}
