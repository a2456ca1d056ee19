// The frontier of a live run: a document for each URL that it knows, and one for each source's listing of it.
import type { FrontierState, Listing } from '../frontier.ts'
import type { Outcome } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { findByIds } from './row.ts'

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
  /** Sources that list it, and those of them that declined it. */
  sources: string[]
  declined: string[]
}

export interface ListingRow extends MongoRow, Listing {
  project: string
  run: string
  /** Grows in the order of discovery. */
  ordinal: number
  state: 'open' | 'walked' | 'declined'
}

export type ListingKey = Pick<Listing, 'source' | 'url'>

export const frontierRows = (db: MongoDb) => db.collection<FrontierRow>('frontier')
export const listingRows = (db: MongoDb) => db.collection<ListingRow>('listings')

export const frontierId = (run: string, url: string): string => `${run} ${url}`
export const listingId = (run: string, { source, url }: ListingKey): string => `${run} ${source} ${url}`

export function toState({ url, outcome, reason, state }: FrontierRow): FrontierState {
  return { url, outcome, reason, deferred: state === 'deferred' }
}

/** By URL; those that the run does not know are left out. */
export async function readFrontier(
  db: MongoDb,
  run: string,
  urls: string[],
): Promise<Map<string, FrontierRow>> {
  const ids = urls.map((url) => frontierId(run, url))
  return new Map((await findByIds(frontierRows(db), ids)).map((row) => [row.url, row]))
}

/** By `_id`; those that are not there are left out. */
export async function readListings(
  db: MongoDb,
  run: string,
  listings: ListingKey[],
): Promise<Map<string, ListingRow>> {
  const ids = listings.map((listing) => listingId(run, listing))
  return new Map((await findByIds(listingRows(db), ids)).map((row) => [row._id, row]))
}
