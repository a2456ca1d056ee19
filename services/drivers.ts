// Picks the drivers of store and index; the only place that knows more than one. Those of servers are imported where they
// are picked: what is embedded starts without them.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Backends, ConfigError } from './config.ts'
import { DomainError } from './errors.ts'
import type { SearchIndex } from './index/search-index.ts'
import type { Store } from './store/store.ts'

/**
 * MongoDB where its address is set, else SQLite in the data folder, which is made if missing. Work in the background waits
 * longer for a busy server than readers do.
 */
export async function openStore(
  { data, mongodb }: Backends,
  priority: 'readers' | 'work' = 'readers',
): Promise<Store> {
  if (mongodb) {
    const { openMongoStore } = await import('./store/mongo/mongo-store.ts')
    return openMongoStore(mongodb, priority).catch((error) => {
      throw isBadAddress(error) ? new ConfigError(`LECTERN_MONGODB_URL: ${error.message}`) : error
    })
  }
  const { openSqliteStore } = await import('./store/sqlite/sqlite-store.ts')
  await mkdir(data, { recursive: true })
  return openSqliteStore(join(data, 'lectern.db'))
}

/**
 * Opens a store for reading while Lectern may run on it. For SQLite, a snapshot in `folder` that `close` removes; MongoDB is read
 * live.
 */
export async function openSnapshot(backends: Backends, folder: string): Promise<Store> {
  if (backends.mongodb) return openStore(backends, 'work')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const { copyDatabases } = await import('./store/sqlite/sqlite-store.ts')
    await copyDatabases(backends.data, folder)
    const store = await openStore({ data: folder })
    return { ...store, close: () => store.close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

const isBadAddress = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.reason === 'invalid'

/** Weaviate where its addresses are set, else segments in the data folder. */
export async function openIndex({ data, weaviate }: Backends): Promise<SearchIndex> {
  if (weaviate) {
    const { openWeaviateIndex } = await import('./index/weaviate/weaviate-index.ts')
    return openWeaviateIndex(weaviate)
  }
  const { openSegmentIndex } = await import('./index/segments/segment-index.ts')
  return openSegmentIndex(join(data, 'index'))
}
