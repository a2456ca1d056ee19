// A worker: takes up work from Temporal, embeds, erases. Its port answers for its health alone.
import { openCoreServer } from '../server/core-server.ts'
import { openBackground } from './background.ts'
import { openIndex, openRuns, openStore } from './drivers.ts'
import { openLocalModel } from './local-model.ts'
import type { Start } from './parts.ts'
import { createChecks } from './servers.ts'
import { createStartingCore } from './starting-core.ts'

/** Resolves when it works. */
export async function startWorker(start: Start): Promise<void> {
  const { config, log, report, servers, waiting, parts } = start
  const checks = createChecks()
  parts.coreServer = await openCoreServer(createStartingCore(log), { address: config.grpc, backends: checks })

  const store = await waiting.until(servers.store, () => openStore(config))
  parts.store = store
  checks.store = store.ping
  const index = await waiting.until(servers.index, () => openIndex(config))
  parts.index = index
  checks.index = index.ping
  const runs = await openRuns({ config, store, report, startScheduled: async () => {} })
  parts.runs = runs
  checks.runs = runs.ping
  const { openWorker } = await import('./worker.ts')
  parts.worker = await openWorker({ config, report })
  const localModel = await openLocalModel(config.embeddings, log, report)
  parts.localModel = localModel
  parts.background = await openBackground(config, store, localModel.embed, log, report)
  waiting.watch(servers.store, store.ping)
  waiting.watch(servers.index, index.ping)
  waiting.watch(servers.runs, runs.ping)
}
