// The servers that a configuration names, as log and health call them.
import type { Config } from '../config.ts'
import type { Backend } from '../errors.ts'
import type { Ping } from '../server/health.ts'

export interface Server {
  backend: Backend
  name: string
  /** The variable that says where it is. */
  variable: string
  /** What that is set to; may hold a password. */
  address: string
}

/** Null where the embedded driver stands in. */
export interface Servers {
  store: Server | null
  index: Server | null
  runs: Server | null
}

/** What a process stands on, before it has opened anything. */
export function createChecks(): Record<keyof Servers, Ping> {
  const notYet = () => Promise.reject(new Error('it has not been opened yet'))
  return { store: notYet, index: notYet, runs: notYet }
}

export function toServers({ mongodb, weaviate, temporal }: Config): Servers {
  const server = (backend: Backend, name: string, variable: string, address: string | undefined) =>
    address === undefined ? null : { backend, name, variable, address }
  return {
    store: server('store', 'MongoDB', 'LECTERN_MONGODB_URL', mongodb ?? undefined),
    index: server('index', 'Weaviate', 'LECTERN_WEAVIATE_URL', weaviate?.url),
    runs: server('runs', 'Temporal', 'LECTERN_TEMPORAL_ADDRESS', temporal?.address),
  }
}
