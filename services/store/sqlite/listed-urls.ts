// URLs that this handle knows to be listed in a run: most links of a page are, and asking the file for each is what
// discovery costs. A listing is never taken back while its run is live, so the memory cannot be wrong, only short.
import type { Listing } from '../frontier.ts'

/** URLs remembered at most, over all runs: about 10 MB. */
const maxUrls = 50_000

export interface ListedUrls {
  /** The source's listings that are not known to be listed, the first of each URL. */
  unknown(run: string, source: string, listings: Listing[]): Listing[]
  /** Remembers listings of a run that was live when they were written. */
  add(run: string, source: string, listings: Listing[]): void
}

export function createListedUrls(): ListedUrls {
  const walks = new Map<string, Set<string>>()
  let size = 0
  return {
    unknown: (run, source, listings) => {
      const listed = walks.get(`${run} ${source}`)
      const chosen = new Map<string, Listing>()
      for (const listing of listings)
        if (!listed?.has(listing.url) && !chosen.has(listing.url)) chosen.set(listing.url, listing)
      return [...chosen.values()]
    },
    add: (run, source, listings) => {
      if (listings.length === 0) return
      if (size + listings.length > maxUrls) {
        walks.clear()
        size = 0
      }
      const walk = `${run} ${source}`
      const listed = walks.get(walk) ?? new Set()
      walks.set(walk, listed)
      for (const listing of listings) listed.add(listing.url)
      size += listings.length
    },
  }
}
