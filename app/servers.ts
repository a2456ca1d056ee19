// The servers that a configuration names, as log and health call them.
import type { Config } from '../services/config.ts'
import type { Backend } from '../services/errors.ts'
import type { Ping } from '../services/server/health.ts'

export interface Server {
  backend: Backend
  name: string
  /** The variables that say where it is, its address first, and what they are set to; may hold a password. */
  settings: [variable: string, value: string][]
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
  return {
    store: mongodb
      ? { backend: 'store', name: 'MongoDB', settings: [['LECTERN_MONGODB_URL', mongodb]] }
      : null,
    index: weaviate && {
      backend: 'index',
      name: 'Weaviate',
      settings: [
        ['LECTERN_WEAVIATE_URL', weaviate.url],
        ['LECTERN_WEAVIATE_GRPC', weaviate.grpc],
      ],
    },
    runs: temporal && {
      backend: 'runs',
      name: 'Temporal',
      settings: [
        ['LECTERN_TEMPORAL_ADDRESS', temporal.address],
        ['LECTERN_TEMPORAL_NAMESPACE', temporal.namespace],
      ],
    },
  }
}
