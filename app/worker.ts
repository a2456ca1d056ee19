// Temporal's worker within this process: on a thread of its own, which is started again should it die.

import type { Config } from '../services/config.ts'
import type { RunNews, TellRun } from '../services/sync/watch-runs.ts'
import { threadKinds } from '../services/thread/kinds.ts'
import { createThread } from '../services/thread/thread.ts'
import { toCrawlSettings } from './crawl-settings.ts'
import type { WorkerThreadApi, WorkerThreadSettings } from './worker-thread.ts'

/** Resolves when store and index are open; without Temporal the worker waits for it. Needs `config.temporal`. */
export async function openWorker(options: {
  config: Config
  report(error: unknown): void
  tellRun: TellRun
}): Promise<{ close(): Promise<void> }> {
  const { config, report, tellRun } = options
  const workerData: WorkerThreadSettings = {
    ...toCrawlSettings(config),
    temporal: config.temporal!,
  }
  const { start, close } = createThread<WorkerThreadApi>({
    ...threadKinds.crawl,
    // It asks Temporal for work by itself.
    idleTimeout: null,
    entry: new URL('./worker-thread.ts', import.meta.url),
    ...{ workerData, report },
    serves: { tellRun: async (news: RunNews) => tellRun(news) },
  })
  await start()
  return { close }
}
