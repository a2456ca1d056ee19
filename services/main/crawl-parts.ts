// What crawling stands on, opened in the thread that crawls: store, index, fetcher and parse threads of its own.
import { availableParallelism, setPriority } from 'node:os'
import { readAllowList } from '../../crawler/address.ts'
import { createFetcher, type Fetcher } from '../../crawler/fetch.ts'
import type { ServiceAddress } from '../../crawler/own-services.ts'
import { openParsePool, type ParsePool } from '../../workflows/parse/parse-pool.ts'
import type { Backends } from '../config.ts'
import { openIndexThread } from '../index/index-thread.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { Store } from '../store/store.ts'
import { reportFromThread } from '../thread/thread.ts'
import { openStore } from './drivers.ts'
import type { IndexThreadData } from './index-thread.ts'
import { manualFolder, readManual } from './manual.ts'
import { createManualFetcher } from './manual-fetcher.ts'

/** What the main thread hands over. */
export interface CrawlSettings {
  backends: Backends
  crawlAllow: string
  /** What is never crawled: Lectern's own ports and those of its backends. */
  services: ServiceAddress[]
  pageLimit: number | null
  /** Address of the project's own manual, which is read from its files. */
  manualBase: string
}

export interface CrawlParts {
  store: Store
  index: SearchIndex
  fetcher: Fetcher
  parsePool: ParsePool
  pageLimit: number | null
  now(): Date
  report(error: unknown): void
}

/** At least two: parsing is most of a sync's work, and the other threads of a sync wait more than they work. */
const parseThreads = Math.min(4, Math.max(2, availableParallelism() - 1))

/** Called once, in the thread; it lowers the thread's priority where it can. */
export async function openCrawlParts(settings: CrawlSettings): Promise<CrawlParts> {
  // On Linux the priority is the thread's own: readers' requests go before crawling.
  if (process.platform === 'linux') setPriority(2)
  return {
    store: await openStore(settings.backends, 'work'),
    index: await openIndexThread(
      new URL('./index-thread.ts', import.meta.url),
      { backends: settings.backends } satisfies IndexThreadData,
      reportFromThread,
    ),
    fetcher: createManualFetcher(
      createFetcher({ allow: readAllowList(settings.crawlAllow), services: settings.services }),
      settings.manualBase,
      await readManual(manualFolder),
    ),
    parsePool: openParsePool(parseThreads, reportFromThread),
    pageLimit: settings.pageLimit,
    now: () => new Date(),
    report: reportFromThread,
  }
}
