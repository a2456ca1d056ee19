// Opens the configured driver of runs, and Temporal's worker. Temporal's modules load only if it is in use.
import { randomUUID } from 'node:crypto'
import type { Config } from '../services/config.ts'
import type { Runs } from '../services/runs/runs.ts'
import type { Store } from '../services/store/store.ts'
import { startScheduled } from '../services/sync/start-run.ts'
import type { ReportRun, RunChange } from '../services/sync/watch-runs.ts'
import { threadKinds } from '../services/thread/kinds.ts'
import { createThread } from '../services/thread/thread.ts'

interface CrawlOptions {
  config: Config
  report(error: unknown): void
  reportRun: ReportRun
}

const toThread = ({ config, report, reportRun }: CrawlOptions) => ({
  entry: new URL('./crawl-thread.ts', import.meta.url),
  workerData: config,
  report,
  serves: { reportRun: async (change: RunChange) => reportRun(change) },
})

/** Opens Temporal if its address is set, which also needs a worker; else a thread of this process. */
export async function openRuns(options: CrawlOptions & { store: Store }): Promise<Runs> {
  const { config, report, store } = options
  if (config.temporal) {
    const { openTemporalRuns } = await import('../workflows/temporal/temporal-runs.ts')
    return openTemporalRuns({ ...config.temporal, store, report })
  }
  const { openLocalRuns } = await import('../workflows/local/local-runs.ts')
  const runs: Runs = await openLocalRuns({
    ...toThread(options),
    startScheduled: (project) =>
      startScheduled({ store, runs, now: () => new Date(), newUuid: randomUUID }, project),
  })
  return runs
}

/** Runs Temporal's worker on a thread, which is restarted if it dies. Resolves when store and index are open. */
export async function openWorker(options: CrawlOptions) {
  // Never idle: the thread itself polls Temporal.
  const thread = createThread({ ...threadKinds.crawl, ...toThread(options), idleTimeout: null })
  await thread.start()
  return thread
}

/** Passes the schedules in the store to the driver. */
export async function restoreSchedules(store: Store, runs: Runs) {
  for (const { uuid, config } of await store.projects.all()) {
    if (config.sync.schedule !== null) await runs.schedule(uuid, config.sync.schedule)
  }
}
