// Entry of the sync thread: crawls run here, with a store and an index handle of their own.
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { readAllowList } from '../../crawler/address.ts'
import { createFetcher } from '../../crawler/fetch.ts'
import { createWork, type WorkApi } from '../../workflows/local/work.ts'
import { openParsePool } from '../../workflows/parse/parse-pool.ts'
import { serveThread } from '../thread/thread.ts'
import { openIndex, openStore } from './drivers.ts'

/** What the main thread hands over. */
export interface SyncThreadData {
  data: string
  crawlAllow: string
  pageLimit: number | null
  userAgent: string
  parseThreads: number
}

const settings = workerData as SyncThreadData
// On Linux the priority is the thread's own: readers' requests go before crawling.
if (process.platform === 'linux') setPriority(2)

const work = createWork({
  store: await openStore(settings.data),
  index: await openIndex(settings.data),
  fetcher: createFetcher({ allow: readAllowList(settings.crawlAllow), userAgent: settings.userAgent }),
  parsePool: openParsePool(settings.parseThreads),
  now: () => new Date(),
  pageLimit: settings.pageLimit,
  report: (error) =>
    parentPort?.postMessage({ report: error instanceof Error ? error.stack : String(error) }),
})
serveThread(work satisfies WorkApi)
