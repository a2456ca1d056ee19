// Entry of the crawl thread. It has its own store, index, fetcher and parse threads, and runs the crawls of this process, or those of
// Temporal.
import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { workerData } from 'node:worker_threads'
import { readAllowList } from '../crawler/address.ts'
import { createFetcher } from '../crawler/fetch.ts'
import { type Config, toBaseUrl, toServiceAddresses } from '../services/config.ts'
import { openSecret } from '../services/data/data-folder.ts'
import { openIndex, openStore } from '../services/drivers.ts'
import { openPatiently } from '../services/retry.ts'
import { createCredentialKeeper } from '../services/source/credentials.ts'
import { startScheduled } from '../services/sync/start-run.ts'
import { watchRuns } from '../services/sync/watch-runs.ts'
import { askOwner, reportFromThread, serveThread } from '../services/thread/thread.ts'
import { createWork } from '../workflows/local/work.ts'
import { openParsePool } from '../workflows/parse/parse-pool.ts'
import { createManualFetcher } from './manual.ts'

/** At least two: parsing is most of the work of a sync. Its other threads mostly wait. */
const parseThreads = Math.min(4, Math.max(2, availableParallelism() - 1))

type Resources = Awaited<ReturnType<typeof openResources>>

async function openResources(config: Config) {
  const base = toBaseUrl(config)
  const allow = readAllowList(config.crawlAllow)
  const fetcher = createFetcher({ allow, services: toServiceAddresses(config) })
  return {
    store: watchRuns(await openPatiently(() => openStore(config, 'work')), (change) => {
      // Fire and forget: the owner may have closed.
      askOwner('reportRun', change).catch(() => {})
    }),
    index: await openPatiently(() => openIndex(config)),
    fetcher: createManualFetcher(fetcher, `${base}/manual/`),
    parsePool: openParsePool(parseThreads, reportFromThread),
    credentials: createCredentialKeeper(await openSecret(config.data, config.secret)),
    base,
    pageLimit: config.pageLimit,
    addressLimit: config.addressLimit,
    now: () => new Date(),
    report: reportFromThread,
  }
}

/** Polls Temporal for work until it is closed. */
async function openTemporalWork(temporal: NonNullable<Config['temporal']>, resources: Resources) {
  const { openTemporalRuns } = await import('../workflows/temporal/temporal-runs.ts')
  const { openTemporalWorker } = await import('../workflows/temporal/worker.ts')
  const { store, index, fetcher, parsePool, now, report } = resources
  const runs = await openTemporalRuns({ ...temporal, store, report })
  const worker = openTemporalWorker({
    ...temporal,
    ...resources,
    runs,
    startScheduled: (project) => startScheduled({ store, runs, now, newUuid: randomUUID }, project),
  })
  return {
    async close() {
      for (const opened of [worker, runs, parsePool, fetcher, index, store]) await opened.close()
    },
  }
}

const config = workerData as Config
const resources = await openResources(config)
serveThread(
  'crawl',
  config.temporal ? await openTemporalWork(config.temporal, resources) : createWork(resources),
)
