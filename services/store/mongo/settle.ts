// Writing the outcome of URLs, with the counters and events that go with it.

import type { Settlement } from '../frontier.ts'
import type { Outcome, RunEvent } from '../run.ts'
import type { MongoDb } from './connection.ts'
import { newEvents } from './event.ts'
import {
  createWalks,
  type FrontierRow,
  isKept,
  keeps,
  type ListingRow,
  listingIdOf,
  readFrontier,
  readListings,
} from './frontier-row.ts'
import type { Decision } from './journal.ts'
import type { RunRow } from './run-row.ts'

/** What settlements come to, each seeing what those before it left. */
interface Settling {
  walks: ReturnType<typeof createWalks>
  counted: Record<Outcome | 'fetched', number>
  events: RunEvent[]
  urls: Set<FrontierRow>
  listings: Set<ListingRow>
}

/** Marks the listing walked or declined; answers whether that was a change. */
function mark(
  settling: Settling,
  url: FrontierRow,
  listing: ListingRow | undefined,
  { source, outcome, deferred }: Settlement,
): boolean {
  if (listing === undefined) return false
  const stays = listing.state === 'declined' && !keeps(outcome)
  const state = deferred || stays ? 'declined' : 'walked'
  if (listing.state === state) return false
  if (isKept(url))
    settling.walks.of(source).kept += Number(state !== 'declined') - Number(listing.state !== 'declined')
  listing.state = state
  settling.listings.add(listing)
  const others = url.declined.filter((each) => each !== source)
  url.declined = state === 'declined' ? [...others, source] : others
  settling.urls.add(url)
  return true
}

/** Writes the outcome where the URL has none that stands; answers whether it did. */
function decide(settling: Settling, url: FrontierRow, settlement: Settlement): boolean {
  const { outcome, reason, deferred, source, target = null } = settlement
  const undecided = url.state === 'pending' || (url.state === 'deferred' && !deferred)
  if (!undecided) return false
  url.state = deferred ? 'deferred' : 'decided'
  url.outcome = outcome
  url.reason = reason
  url.deferredBy = deferred ? source : null
  url.target = deferred ? target : null
  settling.urls.add(url)
  if (isKept(url))
    for (const each of url.sources) if (!url.declined.includes(each)) settling.walks.of(each).kept += 1
  return true
}

function settleOne(
  settling: Settling,
  url: FrontierRow,
  listing: ListingRow | undefined,
  settlement: Settlement,
): void {
  const marked = mark(settling, url, listing, settlement)
  const decided = decide(settling, url, settlement)
  if (settlement.fetched && (marked || decided)) settling.counted.fetched += 1
  if (!decided || settlement.deferred) return
  settling.counted[settlement.outcome] += 1
  if (settlement.event !== null) settling.events.push(settlement.event)
}

/** The batch that settles, in order, for a run that is live. */
export async function settlement(
  db: MongoDb,
  run: RunRow,
  settlements: Settlement[],
): Promise<Decision<boolean>> {
  const [known, listings] = await Promise.all([
    readFrontier(
      db,
      run._id,
      settlements.map((each) => each.url),
    ),
    readListings(db, run._id, settlements),
  ])
  const settling: Settling = {
    walks: createWalks(run),
    counted: { added: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0, fetched: 0 },
    events: [],
    urls: new Set(),
    listings: new Set(),
  }
  for (const each of settlements) {
    const url = known.get(each.url)
    if (url !== undefined) settleOne(settling, url, listings.get(listingIdOf(run._id, each)), each)
  }
  if (settling.urls.size === 0) return { result: true }
  const events = await newEvents(db, run, settling.events)
  return {
    result: true,
    writes: [
      { to: 'frontier', set: [...settling.urls].map(toOutcome) },
      { to: 'listings', set: [...settling.listings].map(({ _id, state }) => ({ _id, state })) },
      { to: 'run_events', insert: events },
      {
        to: 'runs',
        set: [
          {
            _id: run._id,
            pages: withCounted(run, settling.counted),
            walks: settling.walks.walks,
            events: run.events + events.length,
          },
        ],
      },
    ],
  }
}

function toOutcome({ _id, state, outcome, reason, deferredBy, target, declined }: FrontierRow) {
  return {
    _id,
    state,
    outcome,
    reason,
    deferredBy,
    target,
    declined,
  }
}

function withCounted({ pages }: RunRow, counted: Settling['counted']) {
  const { added, updated, unchanged, skipped, failed, fetched } = counted
  return {
    ...pages,
    pending: pages.pending - added - updated - unchanged - skipped - failed,
    added: pages.added + added,
    updated: pages.updated + updated,
    unchanged: pages.unchanged + unchanged,
    skipped: pages.skipped + skipped,
    failed: pages.failed + failed,
    fetched: pages.fetched + fetched,
  }
}
