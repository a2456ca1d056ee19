// The packages of MongoDB, Weaviate and Temporal are installed only for those who want them.

import { ConfigError } from './config/variable.ts'
import type { Config } from './config.ts'

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
