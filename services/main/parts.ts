// The open parts of a process, and the order in which they close: readers are told first, then from the outside in.
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Runs } from '../runs/runs.ts'
import type { CoreServer } from '../server/core-server.ts'
import type { Store } from '../store/store.ts'
import type { OpenCore } from './core.ts'
import type { CoreTransport } from './core-transport.ts'
import type { Searcher } from './searcher.ts'
import type { Servers } from './servers.ts'
import type { Waiting } from './waiting.ts'

interface Closing {
  close(): Promise<void>
}

/** What is open so far; which parts there are depends on the role. */
export interface Parts {
  gateway?: Closing
  coreTransport?: CoreTransport
  coreServer?: CoreServer
  core?: OpenCore
  background?: Closing
  worker?: Closing
  runs?: Runs
  searcher?: Searcher
  localModel?: Closing
  index?: Closing
  store?: Store
}

export async function closeParts(parts: Parts): Promise<void> {
  await parts.core?.endTurns()
  await parts.gateway?.close()
  parts.coreTransport?.close()
  await parts.coreServer?.close()
  await parts.core?.close()
  await parts.background?.close()
  await parts.worker?.close()
  await parts.runs?.close()
  await parts.searcher?.close()
  await parts.localModel?.close()
  await parts.index?.close()
  await parts.store?.close()
}

/** What every role starts with. */
export interface Start {
  config: Config
  log: Logger
  /** Told of what goes wrong in the background. */
  report(error: unknown): void
  servers: Servers
  waiting: Waiting
  /** Parts are put here as soon as they are open. */
  parts: Parts
}
