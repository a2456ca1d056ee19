// The frontier of a live run: what to read, and how each URL ended.
import type { FrontierStore, Listing } from '../frontier.ts'
import { endOfPrefix } from '../paging.ts'
import { inChunks } from './chunks.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { discovery, listedAtOnce } from './frontier-discover.ts'
import {
  frontierIdOf,
  frontierRows,
  type ListingRow,
  listingRows,
  readFrontier,
  readListings,
  toState,
} from './frontier-row.ts'
import type { Decision, Journal } from './journal.ts'
import { type LiveRuns, type RunRow, readRun } from './run-row.ts'
import { settlement } from './settle.ts'

const inOrder = { ordinal: 1 } as const

export function createFrontier(db: MongoDb, journal: Journal, live: LiveRuns): FrontierStore {
  /** Decides and writes as one while the run is live; null when it has ended. */
  async function write<Result>(
    uuid: string,
    decide: (run: RunRow) => Promise<Decision<Result>>,
  ): Promise<Result | null> {
    const project = await live.projectOf(uuid)
    if (project === null) return null
    return journal.write<Result | null>(project, async ({ liveRun }) => {
      const run = liveRun === uuid ? await readRun(db, uuid) : null
      return run === null ? { result: null } : decide(run)
    })
  }

  /** How far a source has come in a live run. */
  async function walkOf(uuid: string, source: string) {
    if ((await live.projectOfLive(uuid)) === null) return undefined
    return (await readRun(db, uuid))?.walks.find((walk) => walk.source === source)
  }

  /** Changes the state of those of the listings that the rule names. */
  async function mark(
    uuid: string,
    listings: Pick<Listing, 'source' | 'url'>[],
    state: ListingRow['state'],
    rule: (row: ListingRow, frontier: MongoRow | undefined) => boolean,
  ): Promise<void> {
    await write(uuid, async () => {
      const rows = await readListings(db, uuid, listings)
      const known = await readFrontier(
        db,
        uuid,
        listings.map((listing) => listing.url),
      )
      const marked = [...rows.values()].filter((row) => rule(row, known.get(row.url)))
      if (marked.length === 0) return { result: undefined }
      const reopened = new Map<string, MongoRow>()
      for (const { source, url, state: before } of marked) {
        const { _id, declined } = reopened.get(url) ?? known.get(url)!
        if (before === 'declined')
          reopened.set(url, { _id, declined: declined.filter((each: string) => each !== source) })
      }
      return {
        result: undefined,
        writes: [
          { to: 'frontier', set: [...reopened.values()] },
          { to: 'listings', set: marked.map(({ _id }) => ({ _id, state })) },
        ],
      }
    })
  }

  return {
    discover: async (uuid, listings) => {
      let added = 0
      await inChunks(listings, listedAtOnce, async (chunk) => {
        const fresh = await write(uuid, (run) => discovery(db, run, chunk))
        added += fresh ?? 0
        return fresh !== null
      })
      return added
    },
    next: async (uuid, source, limit) => {
      if ((await live.projectOfLive(uuid)) === null) return []
      const rows = await listingRows(db)
        .find({ run: uuid, source, state: 'open' })
        .sort(inOrder)
        .limit(limit)
        .toArray()
      return rows.map(({ url, depth }) => ({ source, url, depth }))
    },
    states: async (uuid, urls) => {
      const rows = (await live.projectOfLive(uuid)) === null ? new Map() : await readFrontier(db, uuid, urls)
      return urls.map((url) => (rows.has(url) ? toState(rows.get(url)) : null))
    },
    pending: async (uuid, urlPrefix, after, limit) => {
      if ((await live.projectOfLive(uuid)) === null) return []
      const [from, to] = [frontierIdOf(uuid, urlPrefix), endOfPrefix(frontierIdOf(uuid, urlPrefix))]
      const rows = await frontierRows(db)
        .find({
          _id: { $gte: from, $lt: to, $gt: frontierIdOf(uuid, after) },
          state: { $in: ['pending', 'deferred'] },
        })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray()
      return rows.map(({ url }) => url)
    },
    settle: async (uuid, settlements) =>
      (await write(uuid, (run) => settlement(db, run, settlements))) ?? false,
    walked: (uuid, listings) => mark(uuid, listings, 'walked', (row) => row.state === 'open'),
    deferred: async (uuid, limit) => {
      if ((await live.projectOfLive(uuid)) === null) return []
      const rows = await frontierRows(db)
        .find({ run: uuid, state: 'deferred' })
        .sort(inOrder)
        .limit(limit)
        .toArray()
      return rows.map((row) => ({ ...toState(row), source: row.deferredBy ?? '' }))
    },
    pendingCanonicals: async (uuid, source, limit) => {
      if ((await live.projectOfLive(uuid)) === null) return []
      const waiting = await frontierRows(db)
        .find({ run: uuid, state: 'deferred', deferredBy: source, target: { $ne: null }, declined: source })
        .sort(inOrder)
        .limit(limit)
        .toArray()
      const targets = await readFrontier(
        db,
        uuid,
        waiting.map((row) => row.target!),
      )
      return waiting.map(({ url, target }) => {
        const other = targets.get(target!)
        return { url, target: target!, state: other === undefined ? null : toState(other) }
      })
    },
    reopen: (uuid, listings) =>
      mark(uuid, listings, 'open', (row, url) => row.state === 'declined' && url?.state === 'deferred'),
    listed: async (uuid, source) => (await walkOf(uuid, source))?.listed ?? 0,
    kept: async (uuid, source) => (await walkOf(uuid, source))?.kept ?? 0,
  }
}
