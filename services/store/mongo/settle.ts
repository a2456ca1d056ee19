// Writing the outcome of URLs, with the counters and events that go with it.

import type { Settlement } from '../frontier.ts'
import { settle } from '../outcomes.ts'
import type { Outcome, RunEvent } from '../run.ts'
import type { MongoDb } from './connection.ts'
import { newEvents } from './event.ts'
import {
  createWalks,
  type FrontierRow,
  type ListingRow,
  listingIdOf,
  readFrontier,
  readListings,
  toState,
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

/** A source whose listing changed, so that the address knows who declined it. */
function mark(url: FrontierRow, listing: ListingRow, state: 'walked' | 'declined'): void {
  listing.state = state
  const others = url.declined.filter((source) => source !== listing.source)
  url.declined = state === 'declined' ? [...others, listing.source] : others
}

function writeOutcome(url: FrontierRow, settlement: Settlement): void {
  const { outcome, reason, deferred, source, target = null } = settlement
  url.state = deferred ? 'deferred' : 'decided'
  url.outcome = outcome
  url.reason = reason
  url.deferredBy = deferred ? source : null
  url.target = deferred ? target : null
}

function settleOne(
  settling: Settling,
  url: FrontierRow,
  listing: ListingRow | undefined,
  settlement: Settlement,
): void {
  const settled = settle({ ...toState(url), listing: listing?.state ?? null }, settlement)
  if (listing !== undefined && settled.listing !== null) {
    mark(url, listing, settled.listing)
    settling.walks.of(listing.source).kept += settled.kept
    settling.listings.add(listing)
  }
  if (settled.isDecided) writeOutcome(url, settlement)
  if (settled.isDecided || settled.listing !== null) settling.urls.add(url)
  if (settled.isKeptNow)
    for (const source of url.sources) if (!url.declined.includes(source)) settling.walks.of(source).kept += 1
  if (settled.isFetched) settling.counted.fetched += 1
  if (!settled.isCounted) return
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
