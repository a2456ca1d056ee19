// Picks the drivers of store and index; the only file that knows more than one. Drivers of servers are imported when they are
// picked, and their packages are installed only on request.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Backends, type Config, ConfigError } from './config.ts'
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

const drivers = [
  { variable: 'LECTERN_MONGODB_URL', setting: 'mongodb', package: 'mongodb' },
  { variable: 'LECTERN_WEAVIATE_URL', setting: 'weaviate', package: 'weaviate-client' },
  { variable: 'LECTERN_TEMPORAL_ADDRESS', setting: 'temporal', package: '@temporalio/client' },
] as const

/** Throws ConfigError where a server is set whose driver is not installed. A gateway talks to none of them. */
export function checkDrivers(
  config: Pick<Config, 'role' | 'mongodb' | 'weaviate' | 'temporal'>,
  isInstalled: (name: string) => boolean = canResolve,
): void {
  if (config.role === 'gateway') return
  const missing = drivers.find(({ setting, package: name }) => config[setting] !== null && !isInstalled(name))
  if (missing === undefined) return
  throw new ConfigError(
    `${missing.variable}: the package ${missing.package} is not installed; "npm run install-production" in Lectern's folder installs it.`,
  )
}

function canResolve(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}
