// Selects the drivers of store and index; the only file that knows them all. Drivers of servers are imported on use, since
// their packages are optional.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Backends, type Config, ConfigError } from './config.ts'
import { DomainError } from './errors.ts'
import type { SearchIndex } from './index/search-index.ts'
import type { Store } from './store/store.ts'

/**
 * Opens MongoDB if its address is set, else SQLite in the data folder, which is created if missing. With priority `work`,
 * calls wait longer for a busy server.
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
 * Opens a store for reading while Lectern may be running. Copies SQLite to `folder`, which `close` removes. Reads MongoDB
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

/** Opens Weaviate if its addresses are set, else segments in the data folder. */
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

/** Throws ConfigError if the driver of a configured server is not installed. A gateway needs none. */
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
