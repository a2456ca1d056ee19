// The frontier of a live run: the state of each address, and a row for each listing of a source. All writes are batches of the
// journal.
import {
  type AddressRow,
  addressId,
  addressTable,
  newAddress,
  toAddress,
  toVisit,
  undecided,
} from './address.ts'
import {
  type FrontierState,
  type FrontierStore,
  keptOutcomes,
  type Listing,
  type Settlement,
  settle,
} from './frontier.ts'
import { type Decision, type Journal, type ProjectState, toSet } from './journal.ts'
import type { Rows, Table } from './rows.ts'
import type { PageCounts, RunEvent } from './run.ts'
import { type LiveRuns, type RunRow, runTable } from './run-store.ts'

interface ListingRow extends Listing {
  /** The run, the source and the URL. */
  uuid: string
  project: string
  run: string
  /** Increases in the order of discovery. */
  ordinal: number
  state: 'open' | 'walked' | 'declined'
}

export const listingTable: Table<ListingRow> = {
  name: 'listing',
  fields: 'uuid project run source url depth:int ordinal:int state',
  indexes: ['run source state ordinal'],
}

type ListingState = Pick<ListingRow, 'uuid' | 'source' | 'url' | 'state'>
type FoundRow = Pick<AddressRow, 'uuid' | 'url' | 'run' | 'listedBy'>
type ListingKey = Pick<Listing, 'source' | 'url'>

const listingId = (run: string, { source, url }: ListingKey): string => `${run} ${source} ${url}`

const stateFields = ['url', 'run', 'state', 'outcome', 'outcomeReason'] as const
/** The fields of an address in the live run. */
const frontierFields = [...stateFields, 'uuid', 'listedBy', 'declined', 'sources'] as const
type FrontierRow = Pick<AddressRow, (typeof frontierFields)[number]>

export function toState(row: Pick<AddressRow, (typeof stateFields)[number]>): FrontierState {
  const { url, outcome, outcomeReason, state } = row
  return { url, outcome, reason: outcomeReason, deferred: state === 'deferred' }
}

async function readAddresses<Field extends keyof AddressRow>(
  addresses: Rows<AddressRow>,
  { project, run }: Pick<ListingRow, 'project' | 'run'>,
  urls: string[],
  fields: readonly (Field | 'url' | 'run')[],
) {
  const uuids = urls.map((url) => addressId(project, url))
  const rows = await addresses.pick({ uuid: { $in: uuids } }, [...fields])
  return new Map(rows.filter((row) => row.run === run).map((row) => [row.url, row]))
}

/** Addresses by URL, without those unknown to the run. */
export const readFrontier = (
  addresses: Rows<AddressRow>,
  found: Pick<ListingRow, 'project' | 'run'>,
  urls: string[],
): Promise<Map<string, FrontierRow>> => readAddresses(addresses, found, urls, frontierFields)

/** Maximum listings of a batch. Addresses have up to 2 KB, and a document of MongoDB 16 MB. */
const maxListed = 1_000

/** The accumulated effects of settlements. */
interface Settling {
  pages: PageCounts
  events: RunEvent[]
  urls: Set<FrontierRow>
  listings: Set<ListingState>
}

function settleOne(
  settling: Settling,
  url: FrontierRow,
  listing: ListingState | undefined,
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

/** The fields of an address that change. */
const toChange = ({ run, url, ...change }: FrontierRow) => change

export function createFrontier(
  addresses: Rows<AddressRow>,
  listings: Rows<ListingRow>,
  journal: Journal,
  live: LiveRuns,
): FrontierStore {
  /** Decides and writes atomically while the run is live. Null if it has ended. */
  async function write<Result>(
    uuid: string,
    decide: (run: RunRow, project: ProjectState) => Promise<Decision<Result>>,
  ): Promise<Result | null> {
    const projectUuid = await live.project(uuid)
    if (projectUuid === null) return null
    return journal.write<Result | null>(projectUuid, async (project) => {
      const run = project.liveRun === uuid ? await live.find(uuid) : null
      return run === null ? { result: null } : decide(run, project)
    })
  }

  /** Reads while the run is live. Returns `otherwise` if it has ended. */
  async function whileLive<Result>(
    uuid: string,
    otherwise: Result,
    read: (found: { project: string; run: string }) => Promise<Result> | Result,
  ) {
    const project = await live.liveProject(uuid)
    return project === null ? otherwise : read({ project: project.uuid, run: uuid })
  }

  /** The batch that adds listings. Its result is the number of new listings. */
  async function discover(
    run: RunRow,
    { sequence }: ProjectState,
    wanted: Listing[],
  ): Promise<Decision<number>> {
    // Most links of a page are listed already.
    const ids = wanted.map((listing) => listingId(run.uuid, listing))
    const listed = new Set((await listings.pick({ uuid: { $in: ids } }, ['uuid'])).map(({ uuid }) => uuid))
    const unlisted = wanted.filter((_, at) => !listed.has(ids[at]!))
    if (unlisted.length === 0) return { result: 0 }
    const uuids = unlisted.map(({ url }) => addressId(run.project, url))
    const known = await addresses.pick({ uuid: { $in: uuids } }, ['uuid', 'url', 'run', 'listedBy'])
    const rows = new Map(known.map((row) => [row.url, row]))
    const [fresh, changed] = [new Set<AddressRow>(), new Set<FoundRow>()]
    const added: ListingRow[] = []
    let newToRun = 0
    for (const { source, url, depth } of unlisted) {
      let row: FoundRow | undefined = rows.get(url)
      if (row?.run === run.uuid && row.listedBy.includes(source)) continue
      if (row === undefined) {
        const address = newAddress(run.project, url, null)
        fresh.add(address)
        row = address
        rows.set(url, row)
      } else if (!fresh.has(row as AddressRow)) changed.add(row)
      if (row.run !== run.uuid) {
        Object.assign(row, undecided(), { run: run.uuid })
        newToRun += 1
      }
      row.listedBy.push(source)
      const ordinal = sequence * maxListed + added.length
      const uuid = listingId(run.uuid, { source, url })
      added.push({ uuid, project: run.project, run: run.uuid, source, url, depth, ordinal, state: 'open' })
    }
    if (added.length === 0) return { result: 0 }
    const { discovered, pending } = run.pages
    const pages = { ...run.pages, discovered: discovered + newToRun, pending: pending + newToRun }
    return {
      result: added.length,
      writes: [
        { to: addressTable, insert: [...fresh] },
        { to: addressTable, set: [...changed] },
        { to: listingTable, insert: added },
        { to: runTable, set: [{ uuid: run.uuid, pages } as Partial<RunRow> & { uuid: string }] },
      ],
    }
  }

  /** Listings by uuid, without missing ones. */
  async function readListings(run: string, keys: ListingKey[]): Promise<Map<string, ListingState>> {
    const wanted = { uuid: { $in: keys.map((key) => listingId(run, key)) } }
    const rows = await listings.pick(wanted, ['uuid', 'source', 'url', 'state'])
    return new Map(rows.map((row) => [row.uuid, row]))
  }

  /** The batch that writes settlements, in order. */
  async function settleAll(run: RunRow, settlements: Settlement[]): Promise<Decision<boolean>> {
    const urls = settlements.map(({ url }) => url)
    const [known, listed] = await Promise.all([
      readFrontier(addresses, { project: run.project, run: run.uuid }, urls),
      readListings(run.uuid, settlements),
    ])
    const settling: Settling = { pages: { ...run.pages }, events: [], urls: new Set(), listings: new Set() }
    for (const each of settlements) {
      const url = known.get(each.url)
      if (url !== undefined) settleOne(settling, url, listed.get(listingId(run.uuid, each)), each)
    }
    if (settling.urls.size === 0) return { result: true }
    return {
      result: true,
      writes: [
        { to: addressTable, set: [...settling.urls].map(toChange) },
        ...toSet(
          listingTable,
          [...settling.listings].map(({ uuid, state }) => ({ uuid, state })),
        ),
        ...(await live.logWrites(run, settling.events, { pages: settling.pages })),
      ],
    }
  }

  /** The batch that marks listings as walked, or reopens declined ones with deferred outcomes. */
  async function mark(
    { uuid: run, project }: RunRow,
    keys: ListingKey[],
    state: 'walked' | 'open',
  ): Promise<Decision<void>> {
    const urls = keys.map(({ url }) => url)
    const known = await readFrontier(addresses, { project, run }, urls)
    const rows = [...(await readListings(run, keys)).values()].filter((row) =>
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
    const changed = [...reopened].map(toChange)
    const marked = rows.map(({ uuid }) => ({ uuid, state }))
    return { result: undefined, writes: [...toSet(addressTable, changed), ...toSet(listingTable, marked)] }
  }

  return {
    discover: async (uuid, all) => {
      let added = 0
      await journal.inChunks(all, maxListed, async (chunk) => {
        const count = await write(uuid, (run, project) => discover(run, project, chunk))
        added += count ?? 0
        return count !== null
      })
      return added
    },
    next: (uuid, source, limit) =>
      whileLive(uuid, [], async () => {
        const open = await listings.all({ run: uuid, source, state: 'open' }, 'ordinal', { limit })
        return open.map(({ url, depth }) => ({ source, url, depth }))
      }),
    states: (uuid, urls) =>
      whileLive(
        uuid,
        urls.map((): FrontierState | null => null),
        async (found) => {
          const rows = await readAddresses(addresses, found, urls, stateFields)
          return urls.map((url) => (rows.has(url) ? toState(rows.get(url)!) : null))
        },
      ),
    settle: async (uuid, settlements) => (await write(uuid, (run) => settleAll(run, settlements))) ?? false,
    walked: async (uuid, walked) => void (await write(uuid, (run) => mark(run, walked, 'walked'))),
    deferred: (uuid, limit, source) =>
      whileLive(uuid, [], async () => {
        const deferred = { run: uuid, state: 'deferred' } as const
        const ofSource = source
          ? { deferredBy: source, target: { $gt: '' }, declined: { $has: [source] } }
          : {}
        const rows = await addresses.all({ ...deferred, ...ofSource }, 'url', { limit })
        return rows.map((row) => ({ ...toState(row), source: row.deferredBy ?? '', target: row.target }))
      }),
    reopen: async (uuid, declined) => void (await write(uuid, (run) => mark(run, declined, 'open'))),
    listed: (uuid, source) => whileLive(uuid, 0, () => listings.count({ run: uuid, source })),
    kept: (uuid, source) =>
      whileLive(uuid, 0, () =>
        addresses.count({
          run: uuid,
          state: 'decided',
          outcome: { $in: keptOutcomes as AddressRow['outcome'][] },
          listedBy: { $has: [source] },
          declined: { $not: { $has: [source] } },
        }),
      ),
  }
}
