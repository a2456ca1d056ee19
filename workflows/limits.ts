// Limits of a run: how many pages a source and a project may keep, and how many addresses a source may bring.
import type { Listing } from '../services/store/frontier.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import type { SourceCrawl } from './source-crawl.ts'

export type Grant = 'granted' | 'wait' | 'exhausted'

/** A limit on pages, shared by visits that are under way at the same time. */
export interface Quota {
  /** `wait`: nothing left now, but a visit under way may give its page back. */
  take(): Grant
  /** The visit ended and its page stays. */
  keep(): void
  /** The visit ended without a page to keep. */
  giveBack(): void
}

/** `left`: pages that may still be kept; null for no limit. */
export function createQuota(left: number | null): Quota {
  if (left === null) return { take: () => 'granted', keep() {}, giveBack() {} }
  let free = Math.max(0, left)
  let reserved = 0
  return {
    take() {
      if (free === 0) return reserved > 0 ? 'wait' : 'exhausted'
      free -= 1
      reserved += 1
      return 'granted'
    },
    keep() {
      reserved -= 1
    },
    giveBack() {
      reserved -= 1
      free += 1
    },
  }
}

/** Each address is a row and an event, whatever comes of it: a site that lists addresses without end would fill the disk. */
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
