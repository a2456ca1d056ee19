// A worker: takes up work from Temporal, embeds, erases. Its port answers for its health alone.

import { openEndedDays } from '../services/analytics/ended-days.ts'
import { openRetention } from '../services/chat/retention.ts'
import { toBackends } from '../services/config.ts'
import { openIndex, openStore } from '../services/drivers.ts'
import { createEmbeddingClient } from '../services/embedding/embedding-client.ts'
import { openCoreServer } from '../services/server/core-server.ts'
import type { StartContext } from './resources.ts'
import { openRuns } from './runs.ts'
import { createChecks } from './servers.ts'
import { createStartingCore } from './starting-core.ts'

/** Resolves when it works. */
export async function startWorker(start: StartContext): Promise<void> {
  const { config, log, report, servers, availability, metrics, tellRun, resources } = start
  const checks = createChecks()
  resources.coreServer = await openCoreServer(createStartingCore(log), {
    address: config.grpc,
    backends: checks,
    metrics,
  })

  const store = await availability.retryUntilAvailable(servers.store, () => openStore(config))
  resources.store = store
  checks.store = store.ping
  const index = await availability.retryUntilAvailable(servers.index, () => openIndex(config))
  resources.index = index
  checks.index = index.ping
  const runs = await openRuns({ config, store, report, tellRun, startScheduled: async () => {} })
  resources.runs = runs
  checks.runs = runs.ping
  const { openWorker } = await import('./worker.ts')
  resources.worker = await openWorker({ config, report, tellRun })
  const { embeddings } = config
  const embedding = createEmbeddingClient({ backends: toBackends(config), embeddings }, log, report)
  resources.embedding = embedding
  embedding.start()
  resources.retention = openRetention({ store, now: () => new Date(), report })
  resources.endedDays = openEndedDays({ store, now: () => new Date(), report })
  availability.watch(servers.store, store.ping)
  availability.watch(servers.index, index.ping)
  availability.watch(servers.runs, runs.ping)
}
