// Limits of a run: how many pages a source and a project may keep, and how many addresses a source may bring.
import type { Listing } from '../services/store/frontier.ts'
import type { RunContext } from './run-control.ts'
import type { SourceCrawl } from './source-crawl.ts'

/** `wait`: nothing is left now, but a visit under way may give its page back. */
export type Grant = 'granted' | 'wait' | 'exhausted'

/** Pages that may still be kept, and those of visits under way, which are no longer free. */
export interface Quota {
  free: number
  reserved: number
}

/** `left`: pages that may still be kept; null for no limit. */
export function createQuota(left: number | null): Quota {
  return { free: Math.max(0, left ?? Number.POSITIVE_INFINITY), reserved: 0 }
}

/** Reserves a page of each, or of none. */
export function reserve(quotas: Quota[]): Grant {
  const full = quotas.find(({ free }) => free === 0)
  if (full) return full.reserved > 0 ? 'wait' : 'exhausted'
  for (const quota of quotas) {
    quota.free -= 1
    quota.reserved += 1
  }
  return 'granted'
}

/** Ends the reservation of a page of each; one that does not stay is free again. */
export function release(quotas: Quota[], isKept: boolean): void {
  for (const quota of quotas) {
    quota.reserved -= 1
    if (!isKept) quota.free += 1
  }
}

/** Each address takes a row and an event, so a site with endless addresses would fill the disk. */
const listingsPerPage = 10

type Limited = Pick<SourceCrawl, 'uuid' | 'isPinned' | 'maxPages'>
type LimitContext = Pick<RunContext, 'store' | 'run' | 'addressLimit'>

/** `addressLimit`, or more for a source that may have many pages; without limit for pages that no source lists. */
export function maxListings({ isPinned, maxPages }: Limited, addressLimit: number): number {
  return isPinned ? Number.POSITIVE_INFINITY : Math.max(addressLimit, listingsPerPage * (maxPages ?? 0))
}

/** `list` lists what there is room for, and answers how many were new. */
export async function createLister({ store, run, addressLimit }: LimitContext, source: Limited) {
  let room = maxListings(source, addressLimit) - (await store.frontier.listed(run.uuid, source.uuid))
  return {
    isFull: () => room <= 0,
    async list(listings: Listing[]) {
      const listed = await store.frontier.discover(run.uuid, listings.slice(0, Math.max(0, room)))
      room -= listed
      return listed
    },
  }
}

/** Whether the list of the source may have been cut off: then an unlisted page is not gone. */
export async function isCutOff(
  { store, run, addressLimit }: LimitContext,
  source: Limited,
): Promise<boolean> {
  return (await store.frontier.listed(run.uuid, source.uuid)) >= maxListings(source, addressLimit)
}
