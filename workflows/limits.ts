// Limits of a run: pages of a source and of a project, and addresses that a source may list.
import type { Listing } from '../services/store/frontier.ts'
import type { RunContext } from './run-control.ts'
import type { SourceCrawl } from './source-crawl.ts'

/** `wait`: no page is free now, but a pending visit may free its page. */
export type Grant = 'granted' | 'wait' | 'exhausted'

/** `free`: pages that may still be added. `reserved`: pages of pending visits, no longer free. */
export interface Quota {
  free: number
  reserved: number
}

/** `left`: pages that may still be added. Null: no limit. */
export function createQuota(left: number | null): Quota {
  return { free: Math.max(0, left ?? Number.POSITIVE_INFINITY), reserved: 0 }
}

/** Reserves a page in every quota, or in none. */
export function reserve(quotas: Quota[]): Grant {
  const full = quotas.find(({ free }) => free === 0)
  if (full) return full.reserved > 0 ? 'wait' : 'exhausted'
  for (const quota of quotas) {
    quota.free -= 1
    quota.reserved += 1
  }
  return 'granted'
}

/** Ends the reservation of a page in every quota. Frees the page unless `isKept`. */
export function release(quotas: Quota[], isKept: boolean): void {
  for (const quota of quotas) {
    quota.reserved -= 1
    if (!isKept) quota.free += 1
  }
}

/** Limits addresses, because each takes a row and an event: a site with endless addresses would fill the disk. */
const listingsPerPage = 10

type Limited = Pick<SourceCrawl, 'uuid' | 'isPinned' | 'maxPages'>
type LimitContext = Pick<RunContext, 'store' | 'run' | 'addressLimit'>

/** `addressLimit`, or more if the source may have many pages. No limit for pages that no source lists. */
export function maxListings({ isPinned, maxPages }: Limited, addressLimit: number): number {
  return isPinned ? Number.POSITIVE_INFINITY : Math.max(addressLimit, listingsPerPage * (maxPages ?? 0))
}

/** `list` lists addresses up to the limit, and returns how many were new. */
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

/** Whether the source may have reached the limit. Unlisted pages are then not gone. */
export async function isCutOff(
  { store, run, addressLimit }: LimitContext,
  source: Limited,
): Promise<boolean> {
  return (await store.frontier.listed(run.uuid, source.uuid)) >= maxListings(source, addressLimit)
}
