// Picks the drivers behind the ports; the only place that knows more than one. Those of servers are imported where they
// are picked: what is embedded starts without them.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { toServiceAddresses } from '../config/service-addresses.ts'
import { type Backends, type Config, ConfigError, toBackends } from '../config.ts'
import { DomainError } from '../errors.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { Runs } from '../runs/runs.ts'
import type { Store } from '../store/store.ts'
import { baseUrlOf } from './base-url.ts'
import type { SyncThreadData } from './sync-thread.ts'

/**
 * MongoDB where its address is set, else SQLite in the data folder, which is made if missing. Work in the background waits
 * longer for a busy server than readers do.
 */
export async function openStore(
  { data, mongodb }: Backends,
  asker: 'readers' | 'work' = 'readers',
): Promise<Store> {
  if (mongodb) {
    const { openMongoStore } = await import('../store/mongo/mongo-store.ts')
    return openMongoStore(mongodb, asker).catch((error) => {
      throw isBadAddress(error) ? new ConfigError(`LECTERN_MONGODB_URL: ${error.message}`) : error
    })
  }
  const { openSqliteStore } = await import('../store/sqlite/sqlite-store.ts')
  await mkdir(data, { recursive: true })
  return openSqliteStore(join(data, 'lectern.db'))
}

const isBadAddress = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.reason === 'invalid'

/** Weaviate where its addresses are set, else segments in the data folder. */
export async function openIndex({ data, weaviate }: Backends): Promise<SearchIndex> {
  if (weaviate) {
    const { openWeaviateIndex } = await import('../index/weaviate/weaviate-index.ts')
    return openWeaviateIndex(weaviate)
  }
  const { openSegmentIndex } = await import('../index/segments/segment-index.ts')
  return openSegmentIndex(join(data, 'index'))
}

export interface RunsOptions {
  config: Config
  store: Store
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
  report(error: unknown): void
}

/** Temporal where its address is set, and a worker must be there too; else a thread of this process. */
export async function openRuns({ config, store, startScheduled, report }: RunsOptions): Promise<Runs> {
  if (config.temporal) {
    const { openTemporalRuns } = await import('../../workflows/temporal/temporal-runs.ts')
    return openTemporalRuns({ ...config.temporal, store, report })
  }
  const { openLocalRuns } = await import('../../workflows/local/local-runs.ts')
  const threadData: SyncThreadData = {
    backends: toBackends(config),
    crawlAllow: config.crawlAllow,
    services: toServiceAddresses(config),
    pageLimit: config.pageLimit,
    manualBase: `${baseUrlOf(config)}/manual/`,
  }
  return openLocalRuns({
    entry: new URL('./sync-thread.ts', import.meta.url),
    threadData,
    report,
    startScheduled,
  })
}
