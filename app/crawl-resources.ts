// What crawling stands on, opened in the thread that crawls: store, index, fetcher and parse threads of its own.
import { availableParallelism } from 'node:os'
import { readAllowList } from '../crawler/address.ts'
import { createFetcher, type Fetcher } from '../crawler/fetch.ts'
import { openSecret } from '../services/data/secrets.ts'
import { openIndex, openStore } from '../services/drivers.ts'
import type { SearchIndex } from '../services/index/search-index.ts'
import { type CredentialKeeper, createCredentialKeeper } from '../services/source/credentials.ts'
import type { Store } from '../services/store/store.ts'
import { watchRuns } from '../services/sync/watch-runs.ts'
import { askOwner, reportFromThread } from '../services/thread/thread.ts'
import { openParsePool, type ParsePool } from '../workflows/parse/parse-pool.ts'
import type { CrawlSettings } from './crawl-settings.ts'
import { manualFolder, readManual } from './manual.ts'
import { createManualFetcher } from './manual-fetcher.ts'

interface CrawlResources {
  store: Store
  index: SearchIndex
  fetcher: Fetcher
  parsePool: ParsePool
  credentials: CredentialKeeper
  base: string
  pageLimit: number | null
  addressLimit: number
  now(): Date
  report(error: unknown): void
}

/** At least two: parsing is most of a sync's work, and the other threads of a sync wait more than they work. */
const parseThreads = Math.min(4, Math.max(2, availableParallelism() - 1))

/** Called once, in the thread. */
export async function openCrawlResources(settings: CrawlSettings): Promise<CrawlResources> {
  return {
    store: watchRuns(await openStore(settings.backends, 'work'), (news) => {
      // An owner need not listen.
      askOwner('tellRun', news).catch(() => {})
    }),
    index: await openIndex(settings.backends),
    fetcher: createManualFetcher(
      createFetcher({ allow: readAllowList(settings.crawlAllow), services: settings.services }),
      `${settings.base}/manual/`,
      await readManual(manualFolder),
    ),
    parsePool: openParsePool(parseThreads, reportFromThread),
    credentials: createCredentialKeeper(await openSecret(settings.data, settings.secret)),
    base: settings.base,
    pageLimit: settings.pageLimit,
    addressLimit: settings.addressLimit,
    now: () => new Date(),
    report: reportFromThread,
  }
}
