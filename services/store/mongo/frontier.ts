// The frontier of a live run: the addresses that it has found, and a document for each listing of a source. All writes are batches
// of the journal.
import { toAddress } from '../address.ts'
import {
  type FrontierState,
  type FrontierStore,
  keptOutcomes,
  type Listing,
  type Settlement,
  settle,
} from '../frontier.ts'
import type { PageCounts, RunEvent } from '../run.ts'
import { type AddressRow, addressId, addressRows, newAddress, toVisit, undecided } from './address.ts'
import type { MongoDb, MongoRow } from './connection.ts'
import { type Decision, type Journal, type ProjectRow, toSet } from './journal.ts'
import { findByIds, inChunks } from './row.ts'
import { eventWrites, newEvents } from './run.ts'
import { type LiveRuns, type RunRow, readRun } from './run-row.ts'

interface ListingRow extends MongoRow, Listing {
  project: string
  run: string
  /** Increases in the order of discovery. */
  ordinal: number
  state: 'open' | 'walked' | 'declined'
}

type ListingKey = Pick<Listing, 'source' | 'url'>

const listingRows = (db: MongoDb) => db.collection<ListingRow>('listings')

const listingId = (run: string, { source, url }: ListingKey): string => `${run} ${source} ${url}`

export function toState({ url, outcome, outcomeReason, state }: AddressRow): FrontierState {
  return { url, outcome, reason: outcomeReason, deferred: state === 'deferred' }
}

/** Addresses by URL, without those unknown to the run. */
export async function readFrontier(
  db: MongoDb,
  { project, run }: Pick<ListingRow, 'project' | 'run'>,
  urls: string[],
): Promise<Map<string, AddressRow>> {
  const rows = await readAddresses(db, project, urls)
  return new Map(rows.filter((row) => row.run === run).map((row) => [row.url, row]))
}

function readAddresses(db: MongoDb, project: string, urls: string[]) {
  const ids = urls.map((url) => addressId(project, url))
  return findByIds(addressRows(db), ids)
}

/** Listings by `_id`, without missing ones. */
async function readListings(
  db: MongoDb,
  run: string,
  listings: ListingKey[],
): Promise<Map<string, ListingRow>> {
  const ids = listings.map((listing) => listingId(run, listing))
  return new Map((await findByIds(listingRows(db), ids)).map((row) => [row._id, row]))
}

/** Maximum listings of a batch. Addresses have up to 2 KB, and a batch has to fit into a document of 16 MB. */
const maxListed = 500

/** The batch that adds listings. Its result is the number of new listings. */
async function discovery(
  db: MongoDb,
  { sequence }: ProjectRow,
  run: RunRow,
  listings: Listing[],
): Promise<Decision<number>> {
  const urls = listings.map(({ url }) => url)
  const rows = new Map((await readAddresses(db, run.project, urls)).map((row) => [row.url, row]))
  const [fresh, changed] = [new Set<AddressRow>(), new Set<AddressRow>()]
  const added: ListingRow[] = []
  let newToRun = 0
  for (const { source, url, depth } of listings) {
    const row = rows.get(url) ?? newAddress(run.project, url, null)
    if (!rows.has(url)) fresh.add(row)
    rows.set(url, row)
    if (row.run !== run._id) {
      Object.assign(row, undecided(), { run: run._id })
      newToRun += 1
    }
    if (row.listedBy.includes(source)) continue
    if (!fresh.has(row)) changed.add(row)
    row.listedBy.push(source)
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
  const pages = { ...run.pages, discovered: discovered + newToRun, pending: pending + newToRun }
  return {
    result: added.length,
    writes: [
      { to: 'addresses', insert: [...fresh] },
      { to: 'addresses', set: [...changed].map(toChange) },
      { to: 'listings', insert: added },
      { to: 'runs', set: [{ _id: run._id, pages }] },
    ],
  }
}

const toChange = ({ project, url, seq, ...change }: AddressRow): MongoRow => change

/** The accumulated effects of settlements. */
interface Settling {
  pages: PageCounts
  events: RunEvent[]
  urls: Set<AddressRow>
  listings: Set<ListingRow>
}

function settleOne(
  settling: Settling,
  url: AddressRow,
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
    Object.assign(url, { state, outcome, outcomeReason: reason })
    Object.assign(url, deferred ? { deferredBy: source, target } : { deferredBy: null, target: null })
    const sources = [...new Set([...url.sources, source])]
    if (settled.isCounted) Object.assign(url, toVisit({ ...toAddress(settlement), sources }))
    settling.urls.add(url)
  }
  if (settled.isFetched) settling.pages.fetched += 1
  if (!settled.isCounted) return
  settling.pages[settlement.outcome] += 1
  settling.pages.pending -= 1
  if (settlement.event !== null) settling.events.push(settlement.event)
}

/** The batch that writes settlements, in order, for a live run. */
async function settlement(db: MongoDb, run: RunRow, settlements: Settlement[]): Promise<Decision<boolean>> {
  const urls = settlements.map(({ url }) => url)
  const [known, listings] = await Promise.all([
    readFrontier(db, { project: run.project, run: run._id }, urls),
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
      { to: 'addresses', set: [...settling.urls].map(toChange) },
      { to: 'listings', set: [...settling.listings].map(({ _id, state }) => ({ _id, state })) },
      ...eventWrites(run, insert, { pages: settling.pages }),
    ],
  }
}

/** The batch that marks listings as walked, or reopens declined ones with deferred outcomes. */
async function marking(
  db: MongoDb,
  { _id: run, project }: RunRow,
  listings: ListingKey[],
  state: 'walked' | 'open',
): Promise<Decision<void>> {
  const urls = listings.map(({ url }) => url)
  const known = await readFrontier(db, { project, run }, urls)
  const rows = [...(await readListings(db, run, listings)).values()].filter((row) =>
    state === 'walked'
      ? row.state === 'open'
      : row.state === 'declined' && known.get(row.url)?.state === 'deferred',
  )
  const reopened = new Set<AddressRow>()
  for (const { source, url } of state === 'open' ? rows : []) {
    const row = known.get(url)!
    row.declined = row.declined.filter((each) => each !== source)
    reopened.add(row)
  }
  const addresses = [...reopened].map(toChange)
  const marked = rows.map(({ _id }) => ({ _id, state }))
  return { result: undefined, writes: [...toSet('addresses', addresses), ...toSet('listings', marked)] }
}

export function createFrontier(db: MongoDb, journal: Journal, live: LiveRuns): FrontierStore {
  const addresses = addressRows(db)
  const listings = listingRows(db)

  /** Decides and writes atomically while the run is live. Null if it has ended. */
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

  /** Reads while the run is live. Returns `otherwise` if it has ended. */
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
    deferred: (uuid, limit, source) =>
      whileLive(uuid, [], async () => {
        const ofSource = source && { deferredBy: source, target: { $ne: null }, declined: source }
        const rows = addresses
          .find({ run: uuid, state: 'deferred', ...ofSource })
          .sort({ _id: 1 })
          .limit(limit)
        return (await rows.toArray()).map((row) => {
          return { ...toState(row), source: row.deferredBy ?? '', target: row.target }
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
