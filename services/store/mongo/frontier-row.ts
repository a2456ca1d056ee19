// The frontier of a live run: a document for each URL that it knows, and one for each source's listing of it.

import type { FrontierState, Listing } from '../frontier.ts'
import type { Outcome } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import type { RunRow, Walk } from './run-row.ts'

export interface FrontierRow extends MongoRow {
  project: string
  run: string
  url: string
  /** From 0 in the order of discovery. */
  ordinal: number
  /** `deferred`: the outcome is there and holds only if no other comes. */
  state: 'pending' | 'deferred' | 'decided'
  outcome: Outcome | null
  reason: FrontierState['reason']
  /** The source that deferred it, and the URL of the page that decides. */
  deferredBy: string | null
  target: string | null
  /** Sources that list it. */
  sources: string[]
  /** Those of them that declined it. */
  declined: string[]
}

export interface ListingRow extends MongoRow, Listing {
  project: string
  run: string
  /** From 0 in the order in which the source's were discovered. */
  ordinal: number
  state: 'open' | 'walked' | 'declined'
}

export const frontierRows = (db: MongoDb) => db.collection<FrontierRow>('frontier')
export const listingRows = (db: MongoDb) => db.collection<ListingRow>('listings')

export const frontierIdOf = (run: string, url: string): string => `${run} ${url}`
export function listingIdOf(run: string, { source, url }: Pick<Listing, 'source' | 'url'>): string {
  return `${run} ${source} ${url}`
}

export function toState({ url, outcome, reason, state }: FrontierRow): FrontierState {
  return {
    url,
    outcome,
    reason,
    deferred: state === 'deferred',
  }
}

/** By URL; those that the run does not know are left out. */
export async function readFrontier(
  db: MongoDb,
  run: string,
  urls: Iterable<string>,
): Promise<Map<string, FrontierRow>> {
  const ids = [...new Set(urls)].map((url) => frontierIdOf(run, url))
  const rows =
    ids.length === 0
      ? []
      : await frontierRows(db)
          .find({ _id: { $in: ids } })
          .toArray()
  return new Map(rows.map((row) => [row.url, row]))
}

/** By `_id`; those that are not there are left out. */
export async function readListings(
  db: MongoDb,
  run: string,
  listings: Pick<Listing, 'source' | 'url'>[],
): Promise<Map<string, ListingRow>> {
  const ids = [...new Set(listings.map((listing) => listingIdOf(run, listing)))]
  const rows =
    ids.length === 0
      ? []
      : await listingRows(db)
          .find({ _id: { $in: ids } })
          .toArray()
  return new Map(rows.map((row) => [row._id, row]))
}

/** The run's walks, to be changed; one that is new begins at 0. */
export function createWalks(run: RunRow) {
  const walks = run.walks.map((walk) => ({ ...walk }))
  return {
    walks,
    of: (source: string): Walk => {
      const known = walks.find((walk) => walk.source === source)
      if (known !== undefined) return known
      const walk = { source, listed: 0, kept: 0 }
      walks.push(walk)
      return walk
    },
  }
}
