// What a process has open, and the order in which it is closed: readers are told first, then from the outside in.
import type { Logger } from 'pino'
import type { Config } from '../services/config.ts'
import type { Runs } from '../services/runs/runs.ts'
import type { CoreServer } from '../services/server/core-server.ts'
import type { Store } from '../services/store/store.ts'
import type { TellRun } from '../services/sync/watch-runs.ts'
import type { Availability } from './availability.ts'
import type { OpenCore } from './core.ts'
import type { CoreTransport } from './core-transport.ts'
import type { ProcessMetrics } from './process-metrics.ts'
import type { Servers } from './servers.ts'

interface Closing {
  close(): Promise<void>
}

/** What is open so far; which resources there are depends on the role. */
export interface Resources {
  gateway?: Closing
  coreTransport?: CoreTransport
  coreServer?: CoreServer
  core?: OpenCore
  retention?: Closing
  endedDays?: Closing
  blobSweep?: Closing
  worker?: Closing
  runs?: Runs
  search?: Closing
  embedding?: Closing
  index?: Closing
  store?: Store
}

export async function closeResources(resources: Resources): Promise<void> {
  await resources.core?.endTurns()
  await resources.gateway?.close()
  resources.coreTransport?.close()
  await resources.coreServer?.close()
  await resources.core?.close()
  await resources.retention?.close()
  await resources.endedDays?.close()
  await resources.blobSweep?.close()
  await resources.worker?.close()
  await resources.runs?.close()
  await resources.search?.close()
  await resources.embedding?.close()
  await resources.index?.close()
  await resources.store?.close()
}

/** What every role starts with. */
export interface StartContext {
  config: Config
  log: Logger
  /** Told of what goes wrong in the background. */
  report(error: unknown): void
  servers: Servers
  availability: Availability
  metrics: ProcessMetrics
  /** Logs and counts a run that has started or ended. */
  tellRun: TellRun
  /** Resources are put here as soon as they are open. */
  resources: Resources
}
