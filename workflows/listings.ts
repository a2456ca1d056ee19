// How many addresses a source may bring into a run. Each is a row and an event, whatever comes of it: a site that lists
// addresses without end would fill the disk.

import type { Listing } from '../services/store/frontier.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import type { SourceCrawl } from './source-crawl.ts'

const listingsPerPage = 10

type Limited = Pick<SourceCrawl, 'uuid' | 'isPinned' | 'maxPages'>

/** `addressLimit`, or more for a source that may have many pages; without limit for pages that no source lists. */
export function maxListings({ isPinned, maxPages }: Limited, addressLimit: number): number {
  return isPinned ? Number.POSITIVE_INFINITY : Math.max(addressLimit, listingsPerPage * (maxPages ?? 0))
}

interface ListerDeps {
  store: Store
  run: Run
  addressLimit: number
}

interface Lister {
  /** Lists what there is room for; answers how many were new. */
  list(listings: Listing[]): Promise<number>
  isFull(): boolean
}

export async function createLister(
  { store, run, addressLimit }: ListerDeps,
  source: Limited,
): Promise<Lister> {
  let room = maxListings(source, addressLimit) - (await store.frontier.listed(run.uuid, source.uuid))
  return {
    isFull: () => room <= 0,
    async list(listings) {
      const listed = await store.frontier.discover(run.uuid, listings.slice(0, Math.max(0, room)))
      room -= listed
      return listed
    },
  }
}

/** Whether what the source lists may have been cut off: what is not listed then is not gone. */
export async function isCutOff({ store, run, addressLimit }: ListerDeps, source: Limited): Promise<boolean> {
  return (await store.frontier.listed(run.uuid, source.uuid)) >= maxListings(source, addressLimit)
}
