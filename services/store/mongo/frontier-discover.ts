// New listings of a run's frontier.
import type { Listing } from '../frontier.ts'
import { isKept } from '../outcomes.ts'
import type { MongoDb } from './connection.ts'
import {
  createWalks,
  type FrontierRow,
  frontierIdOf,
  type ListingRow,
  listingIdOf,
  readFrontier,
} from './frontier-row.ts'
import type { Decision } from './journal.ts'
import type { RunRow } from './run-row.ts'

/** Listings of one batch: their addresses may be 2 KB long, and a batch is one document of 16 MB at most. */
export const listedAtOnce = 500

function newUrl(run: RunRow, url: string, ordinal: number): FrontierRow {
  return {
    _id: frontierIdOf(run._id, url),
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
export async function discovery(db: MongoDb, run: RunRow, listings: Listing[]): Promise<Decision<number>> {
  const known = await readFrontier(
    db,
    run._id,
    listings.map((listing) => listing.url),
  )
  const walks = createWalks(run)
  const fresh = new Map<string, FrontierRow>()
  const joined = new Map<string, FrontierRow>()
  const added: ListingRow[] = []
  for (const { source, url, depth } of listings) {
    const row = known.get(url) ?? newUrl(run, url, run.pages.discovered + fresh.size)
    if (row.sources.includes(source)) continue
    const walk = walks.of(source)
    if (known.has(url)) joined.set(url, row)
    else fresh.set(url, row)
    known.set(url, row)
    row.sources.push(source)
    if (row.state === 'decided' && isKept(row.outcome)) walk.kept += 1
    added.push({
      _id: listingIdOf(run._id, { source, url }),
      project: run.project,
      run: run._id,
      source,
      url,
      depth,
      ordinal: walk.listed,
      state: 'open',
    })
    walk.listed += 1
  }
  if (added.length === 0) return { result: 0 }
  const { discovered, pending } = run.pages
  const pages = { ...run.pages, discovered: discovered + fresh.size, pending: pending + fresh.size }
  return {
    result: added.length,
    writes: [
      { to: 'frontier', insert: [...fresh.values()] },
      {
        to: 'frontier',
        set: [...joined.values()].flatMap(({ _id, url, sources }) =>
          fresh.has(url) ? [] : [{ _id, sources }],
        ),
      },
      { to: 'listings', insert: added },
      { to: 'runs', set: [{ _id: run._id, pages, walks: walks.walks }] },
    ],
  }
}
