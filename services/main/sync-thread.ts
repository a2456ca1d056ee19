// Entry of the sync thread: crawls run here, with a store and an index handle of their own.
import { availableParallelism, setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'
import { readAllowList } from '../../crawler/address.ts'
import { createFetcher } from '../../crawler/fetch.ts'
import { createWork, type WorkApi } from '../../workflows/local/work.ts'
import { openParsePool } from '../../workflows/parse/parse-pool.ts'
import type { Backends } from '../config.ts'
import { openIndexThread } from '../index/index-thread.ts'
import { reportFromThread, serveThread } from '../thread/thread.ts'
import { openStore } from './drivers.ts'
import type { IndexThreadData } from './index-thread.ts'
import { manualFolder, readManual } from './manual.ts'
import { createManualFetcher } from './manual-fetcher.ts'

/** What the main thread hands over. */
export interface SyncThreadData {
  backends: Backends
  crawlAllow: string
  pageLimit: number | null
  /** Address of the project's own manual, which is read from its files. */
  manualBase: string
}

/** At least two: parsing is most of a sync's work, and the other threads of a sync wait more than they work. */
const parseThreads = Math.min(4, Math.max(2, availableParallelism() - 1))

const settings = workerData as SyncThreadData
// On Linux the priority is the thread's own: readers' requests go before crawling.
if (process.platform === 'linux') setPriority(2)

const work = createWork({
  store: await openStore(settings.backends),
  index: await openIndexThread(
    new URL('./index-thread.ts', import.meta.url),
    { backends: settings.backends } satisfies IndexThreadData,
    reportFromThread,
  ),
  fetcher: createManualFetcher(
    createFetcher({ allow: readAllowList(settings.crawlAllow) }),
    settings.manualBase,
    await readManual(manualFolder),
  ),
  parsePool: openParsePool(parseThreads, reportFromThread),
  now: () => new Date(),
  pageLimit: settings.pageLimit,
  report: reportFromThread,
})
serveThread(work satisfies WorkApi)
