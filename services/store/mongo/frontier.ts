// The frontier of a live run: what to read, and how each URL ended.
import { type FrontierStore, keptOutcomes } from '../frontier.ts'
import { type AddressRow, addressRows } from './address.ts'
import type { MongoDb } from './connection.ts'
import type { Decision, Journal, ProjectRow } from './journal.ts'
import { inChunks } from './row.ts'
import { type LiveRuns, type RunRow, readRun } from './run-row.ts'
import { discovery, listingRows, marking, maxListed, readFrontier, settlement, toState } from './settle.ts'

export function createFrontier(db: MongoDb, journal: Journal, live: LiveRuns): FrontierStore {
  const addresses = addressRows(db)
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
  async function whileLive<Result>(
    uuid: string,
    otherwise: Result,
    read: (found: { project: string; run: string }) => Promise<Result>,
  ) {
    const project = await live.liveProject(uuid)
    return project === null ? otherwise : read({ project: project._id, run: uuid })
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
        const open = listings.find({ run: uuid, source, state: 'open' }).sort({ ordinal: 1 }).limit(limit)
        return (await open.toArray()).map(({ url, depth }) => ({ source, url, depth }))
      }),
    states: async (uuid, urls) => {
      const rows = await whileLive(uuid, new Map<string, AddressRow>(), (found) =>
        readFrontier(db, found, urls),
      )
      return urls.map((url) => (rows.has(url) ? toState(rows.get(url)!) : null))
    },
    settle: async (uuid, settlements) =>
      (await write(uuid, (run) => settlement(db, run, settlements))) ?? false,
    walked: async (uuid, walked) => {
      await write(uuid, (run) => marking(db, run, walked, 'walked'))
    },
    deferred: (uuid, limit) =>
      whileLive(uuid, [], async () => {
        const rows = addresses.find({ run: uuid, state: 'deferred' }).sort({ _id: 1 }).limit(limit)
        return (await rows.toArray()).map((row) => ({ ...toState(row), source: row.deferredBy ?? '' }))
      }),
    pendingCanonicals: (uuid, source, limit) =>
      whileLive(uuid, [], async (found) => {
        const waiting = await addresses
          .find({ run: uuid, state: 'deferred', deferredBy: source, target: { $ne: null }, declined: source })
          .sort({ _id: 1 })
          .limit(limit)
          .toArray()
        const targets = waiting.map((row) => row.target!)
        const known = await readFrontier(db, found, targets)
        return waiting.map(({ url, target }) => {
          const other = known.get(target!)
          return { url, target: target!, state: other === undefined ? null : toState(other) }
        })
      }),
    reopen: async (uuid, declined) => {
      await write(uuid, (run) => marking(db, run, declined, 'open'))
    },
    listed: (uuid, source) => whileLive(uuid, 0, () => listings.countDocuments({ run: uuid, source })),
    kept: (uuid, source) =>
      whileLive(uuid, 0, () =>
        addresses.countDocuments({
          run: uuid,
          state: 'decided',
          outcome: { $in: [...keptOutcomes] as never },
          listedBy: source,
          declined: { $ne: source },
        }),
      ),
  }
}
