// The frontier of a live run: a document for each URL that it knows, and one for each source's listing of it; and the batches that
// add listings, and settle the outcomes of URLs with the run's counts and events.
import { type FrontierState, type Listing, type Settlement, settle } from '../frontier.ts'
import type { Outcome, PageCounts, RunEvent } from '../run.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { type Decision, type ProjectRow, toSet } from './journal.ts'
import { findByIds } from './row.ts'
import { eventWrites, newEvents } from './run.ts'
import type { RunRow } from './run-row.ts'

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

interface ListingRow extends MongoRow, Listing {
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
const listingId = (run: string, { source, url }: ListingKey): string => `${run} ${source} ${url}`

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
async function readListings(
  db: MongoDb,
  run: string,
  listings: ListingKey[],
): Promise<Map<string, ListingRow>> {
  const ids = listings.map((listing) => listingId(run, listing))
  return new Map((await findByIds(listingRows(db), ids)).map((row) => [row._id, row]))
}

/** Listings of one batch: their addresses may be 2 KB long, and a batch fits into one document of 16 MB. */
export const maxListed = 500

function newUrl(run: RunRow, url: string, ordinal: number): FrontierRow {
  return {
    _id: frontierId(run._id, url),
    project: run.project,
    run: run._id,
    url,
    ordinal,
    state: 'pending',
    outcome: null,
    reason: null,
    deferredBy: null,
    target: null,
    sources: [],
    declined: [],
  }
}

/** The batch that adds the listings; its result is how many were new to their source. */
export async function discovery(
  db: MongoDb,
  { sequence }: ProjectRow,
  run: RunRow,
  listings: Listing[],
): Promise<Decision<number>> {
  const urls = listings.map(({ url }) => url)
  const known = await readFrontier(db, run._id, urls)
  const [fresh, joined] = [new Map<string, FrontierRow>(), new Map<string, FrontierRow>()]
  const added: ListingRow[] = []
  for (const { source, url, depth } of listings) {
    const row = known.get(url) ?? fresh.get(url) ?? newUrl(run, url, run.pages.discovered + fresh.size)
    if (row.sources.includes(source)) continue
    if (known.has(url)) joined.set(url, row)
    else fresh.set(url, row)
    row.sources.push(source)
    added.push({
      _id: listingId(run._id, { source, url }),
      project: run.project,
      run: run._id,
      source,
      url,
      depth,
      ordinal: sequence * maxListed + added.length,
      state: 'open',
    })
  }
  if (added.length === 0) return { result: 0 }
  const { discovered, pending } = run.pages
  const pages = { ...run.pages, discovered: discovered + fresh.size, pending: pending + fresh.size }
  return {
    result: added.length,
    writes: [
      { to: 'frontier', insert: [...fresh.values()] },
      { to: 'frontier', set: [...joined.values()].map(({ _id, sources }) => ({ _id, sources })) },
      { to: 'listings', insert: added },
      { to: 'runs', set: [{ _id: run._id, pages }] },
    ],
  }
}

/** What settlements come to, each seeing what those before it left. */
interface Settling {
  pages: PageCounts
  events: RunEvent[]
  urls: Set<FrontierRow>
  listings: Set<ListingRow>
}

function settleOne(
  settling: Settling,
  url: FrontierRow,
  listing: ListingRow | undefined,
  settlement: Settlement,
): void {
  const settled = settle(toState(url), listing?.state ?? null, settlement)
  if (listing !== undefined && settled.listing !== null) {
    listing.state = settled.listing
    const others = url.declined.filter((source) => source !== listing.source)
    url.declined = settled.listing === 'declined' ? [...others, listing.source] : others
    settling.listings.add(listing)
    settling.urls.add(url)
  }
  if (settled.isDecided) {
    const { outcome, reason, deferred, source, target = null } = settlement
    const state = deferred ? 'deferred' : 'decided'
    Object.assign(url, { state, outcome, reason })
    Object.assign(url, deferred ? { deferredBy: source, target } : { deferredBy: null, target: null })
    settling.urls.add(url)
  }
  if (settled.isFetched) settling.pages.fetched += 1
  if (!settled.isCounted) return
  settling.pages[settlement.outcome] += 1
  settling.pages.pending -= 1
  if (settlement.event !== null) settling.events.push(settlement.event)
}

/** The batch that settles, in order, for a run that is live. */
export async function settlement(
  db: MongoDb,
  run: RunRow,
  settlements: Settlement[],
): Promise<Decision<boolean>> {
  const urls = settlements.map(({ url }) => url)
  const [known, listings] = await Promise.all([
    readFrontier(db, run._id, urls),
    readListings(db, run._id, settlements),
  ])
  const settling: Settling = { pages: { ...run.pages }, events: [], urls: new Set(), listings: new Set() }
  for (const each of settlements) {
    const url = known.get(each.url)
    if (url !== undefined) settleOne(settling, url, listings.get(listingId(run._id, each)), each)
  }
  if (settling.urls.size === 0) return { result: true }
  const insert = await newEvents(db, run, settling.events)
  return {
    result: true,
    writes: [
      { to: 'frontier', set: [...settling.urls].map(toOutcome) },
      { to: 'listings', set: [...settling.listings].map(({ _id, state }) => ({ _id, state })) },
      ...eventWrites(run, insert, { pages: settling.pages }),
    ],
  }
}

function toOutcome({ _id, state, outcome, reason, deferredBy, target, declined }: FrontierRow): MongoRow {
  return { _id, state, outcome, reason, deferredBy, target, declined }
}

/** The batch that marks listings as walked, or opens declined ones again whose outcome is deferred. */
export async function marking(
  db: MongoDb,
  run: string,
  listings: ListingKey[],
  state: 'walked' | 'open',
): Promise<Decision<void>> {
  const urls = listings.map(({ url }) => url)
  const known = await readFrontier(db, run, urls)
  const rows = [...(await readListings(db, run, listings)).values()].filter((row) =>
    state === 'walked'
      ? row.state === 'open'
      : row.state === 'declined' && known.get(row.url)?.state === 'deferred',
  )
  const reopened = new Set<FrontierRow>()
  for (const { source, url } of state === 'open' ? rows : []) {
    const row = known.get(url)!
    row.declined = row.declined.filter((each) => each !== source)
    reopened.add(row)
  }
  const frontier = [...reopened].map(({ _id, declined }) => ({ _id, declined }))
  const marked = rows.map(({ _id }) => ({ _id, state }))
  return { result: undefined, writes: [...toSet('frontier', frontier), ...toSet('listings', marked)] }
}
