// A worker: takes up work from Temporal, embeds, erases. Its port answers for its health alone.

import { openIndex, openStore } from '../services/drivers.ts'
import { openLocalModel } from '../services/model/local/model-client.ts'
import { openCoreServer } from '../services/server/core-server.ts'
import { openBackground } from './background.ts'
import type { StartContext } from './resources.ts'
import { openRuns } from './runs.ts'
import { createChecks } from './servers.ts'
import { createStartingCore } from './starting-core.ts'

/** Resolves when it works. */
export async function startWorker(start: StartContext): Promise<void> {
  const { config, log, report, servers, availability, resources } = start
  const checks = createChecks()
  resources.coreServer = await openCoreServer(createStartingCore(log), {
    address: config.grpc,
    backends: checks,
  })

  const store = await availability.retryUntilAvailable(servers.store, () => openStore(config))
  resources.store = store
  checks.store = store.ping
  const index = await availability.retryUntilAvailable(servers.index, () => openIndex(config))
  resources.index = index
  checks.index = index.ping
  const runs = await openRuns({ config, store, report, startScheduled: async () => {} })
  resources.runs = runs
  checks.runs = runs.ping
  const { openWorker } = await import('./worker.ts')
  resources.worker = await openWorker({ config, report })
  const localModel = await openLocalModel(config.embeddings, log, report)
  resources.localModel = localModel
  resources.background = await openBackground(config, store, localModel.embed, log, report)
  availability.watch(servers.store, store.ping)
  availability.watch(servers.index, index.ping)
  availability.watch(servers.runs, runs.ping)
}
