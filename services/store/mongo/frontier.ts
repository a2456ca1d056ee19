// The frontier of a live run: what to read, and how each URL ended.
import { type FrontierStore, keptOutcomes } from '../frontier.ts'
import { endOfPrefix } from '../paging.ts'
import type { MongoDb } from './connection.ts'
import type { Decision, Journal, ProjectRow } from './journal.ts'
import { inChunks } from './row.ts'
import { type LiveRuns, type RunRow, readRun } from './run-row.ts'
import {
  discovery,
  type FrontierRow,
  frontierId,
  frontierRows,
  listingRows,
  marking,
  maxListed,
  readFrontier,
  settlement,
  toState,
} from './settle.ts'

const inOrder = { ordinal: 1 } as const

export function createFrontier(db: MongoDb, journal: Journal, live: LiveRuns): FrontierStore {
  const frontier = frontierRows(db)
  const listings = listingRows(db)

  /** Decides and writes as one while the run is live; null when it has ended. */
  async function write<Result>(
    uuid: string,
    decide: (run: RunRow, project: ProjectRow) => Promise<Decision<Result>>,
  ): Promise<Result | null> {
    const projectUuid = await live.project(uuid)
    if (projectUuid === null) return null
    return journal.write<Result | null>(projectUuid, async (project) => {
      const run = project.liveRun === uuid ? await readRun(db, uuid) : null
      return run === null ? { result: null } : decide(run, project)
    })
  }

  /** Reads while the run is live; `otherwise` when it has ended. */
  async function whileLive<Result>(uuid: string, otherwise: Result, read: () => Promise<Result>) {
    return (await live.liveProject(uuid)) === null ? otherwise : read()
  }

  return {
    discover: async (uuid, all) => {
      let added = 0
      await inChunks(all, maxListed, async (chunk) => {
        const count = await write(uuid, (run, project) => discovery(db, project, run, chunk))
        added += count ?? 0
        return count !== null
      })
      return added
    },
    next: (uuid, source, limit) =>
      whileLive(uuid, [], async () => {
        const open = listings.find({ run: uuid, source, state: 'open' }).sort(inOrder).limit(limit)
        return (await open.toArray()).map(({ url, depth }) => ({ source, url, depth }))
      }),
    states: async (uuid, urls) => {
      const rows = await whileLive(uuid, new Map<string, FrontierRow>(), () => readFrontier(db, uuid, urls))
      return urls.map((url) => (rows.has(url) ? toState(rows.get(url)!) : null))
    },
    pending: (uuid, urlPrefix, after, limit) =>
      whileLive(uuid, [], async () => {
        const [from, to] = [frontierId(uuid, urlPrefix), endOfPrefix(frontierId(uuid, urlPrefix))]
        const later = { $gte: from, $lt: to, $gt: frontierId(uuid, after) }
        const rows = frontier.find({ _id: later, state: { $in: ['pending', 'deferred'] } })
        return (await rows.sort({ _id: 1 }).limit(limit).toArray()).map(({ url }) => url)
      }),
    settle: async (uuid, settlements) =>
      (await write(uuid, (run) => settlement(db, run, settlements))) ?? false,
    walked: async (uuid, walked) => {
      await write(uuid, () => marking(db, uuid, walked, 'walked'))
    },
    deferred: (uuid, limit) =>
      whileLive(uuid, [], async () => {
        const rows = frontier.find({ run: uuid, state: 'deferred' }).sort(inOrder).limit(limit)
        return (await rows.toArray()).map((row) => ({ ...toState(row), source: row.deferredBy ?? '' }))
      }),
    pendingCanonicals: (uuid, source, limit) =>
      whileLive(uuid, [], async () => {
        const waiting = await frontier
          .find({ run: uuid, state: 'deferred', deferredBy: source, target: { $ne: null }, declined: source })
          .sort(inOrder)
          .limit(limit)
          .toArray()
        const targets = waiting.map((row) => row.target!)
        const known = await readFrontier(db, uuid, targets)
        return waiting.map(({ url, target }) => {
          const other = known.get(target!)
          return { url, target: target!, state: other === undefined ? null : toState(other) }
        })
      }),
    reopen: async (uuid, declined) => {
      await write(uuid, () => marking(db, uuid, declined, 'open'))
    },
    listed: (uuid, source) => whileLive(uuid, 0, () => listings.countDocuments({ run: uuid, source })),
    kept: (uuid, source) =>
      whileLive(uuid, 0, () =>
        frontier.countDocuments({
          run: uuid,
          state: 'decided',
          outcome: { $in: [...keptOutcomes] as never },
          sources: source,
          declined: { $ne: source },
        }),
      ),
  }
}
