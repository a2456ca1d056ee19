// What crawling stands on, opened in the thread that crawls: store, index, fetcher and parse threads of its own.
import { availableParallelism, setPriority } from 'node:os'
import { readAllowList } from '../crawler/address.ts'
import { createFetcher, type Fetcher } from '../crawler/fetch.ts'
import { openStore } from '../services/drivers.ts'
import { createIndexClient } from '../services/index/index-client.ts'
import type { SearchIndex } from '../services/index/search-index.ts'
import type { Store } from '../services/store/store.ts'
import { createOnDemand } from '../services/thread/on-demand.ts'
import { reportFromThread } from '../services/thread/thread.ts'
import { openParsePool, type ParsePool } from '../workflows/parse/parse-pool.ts'
import type { CrawlSettings } from './crawl-settings.ts'
import { manualFolder, readManual } from './manual.ts'
import { createManualFetcher } from './manual-fetcher.ts'

export interface CrawlResources {
  store: Store
  index: SearchIndex
  fetcher: Fetcher
  parsePool: ParsePool
  pageLimit: number | null
  addressLimit: number
  now(): Date
  report(error: unknown): void
}

/** At least two: parsing is most of a sync's work, and the other threads of a sync wait more than they work. */
const parseThreads = Math.min(4, Math.max(2, availableParallelism() - 1))

/** Called once, in the thread; it lowers the thread's priority where it can. */
export async function openCrawlResources(settings: CrawlSettings): Promise<CrawlResources> {
  // On Linux the priority is the thread's own: readers' requests go before crawling.
  if (process.platform === 'linux') setPriority(2)
  return {
    store: await openStore(settings.backends, 'work'),
    index: createIndexClient({ backends: settings.backends }, reportFromThread),
    fetcher: createManualFetcher(
      createFetcher({ allow: readAllowList(settings.crawlAllow), services: settings.services }),
      settings.manualBase,
      await readManual(manualFolder),
    ),
    parsePool: createParsePool(),
    pageLimit: settings.pageLimit,
    addressLimit: settings.addressLimit,
    now: () => new Date(),
    report: reportFromThread,
  }
}

/** Milliseconds without a page after which the parse threads are ended. */
const parseIdleTimeout = 30_000

function createParsePool(): ParsePool {
  const pool = createOnDemand({
    open: async () => openParsePool(parseThreads, reportFromThread),
    close: ({ close }) => close(),
    idleTimeout: parseIdleTimeout,
    report: reportFromThread,
  })
  return {
    parse: (...task) => pool.use(({ parse }) => parse(...task)),
    units: (...task) => pool.use(({ units }) => units(...task)),
    robots: (...task) => pool.use(({ robots }) => robots(...task)),
    sitemap: (...task) => pool.use(({ sitemap }) => sitemap(...task)),
    close: pool.close,
  }
}
