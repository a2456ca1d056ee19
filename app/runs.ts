// Picks the driver of runs. Temporal's is imported where it is picked.
import type { Config } from '../services/config.ts'
import type { Runs } from '../services/runs/runs.ts'
import type { Store } from '../services/store/store.ts'
import type { RunNews, TellRun } from '../services/sync/watch-runs.ts'
import { toCrawlSettings } from './crawl-settings.ts'

interface RunsOptions {
  config: Config
  store: Store
  /** Begins a scheduled sync, as a caller's would begin. */
  startScheduled(project: string): Promise<void>
  report(error: unknown): void
  tellRun: TellRun
}

/** Temporal where its address is set, and a worker must be there too; else a thread of this process. */
export async function openRuns({
  config,
  store,
  startScheduled,
  report,
  tellRun,
}: RunsOptions): Promise<Runs> {
  if (config.temporal) {
    const { openTemporalRuns } = await import('../workflows/temporal/temporal-runs.ts')
    return openTemporalRuns({ ...config.temporal, store, report })
  }
  const { openLocalRuns } = await import('../workflows/local/local-runs.ts')
  return openLocalRuns({
    entry: new URL('./crawl-thread.ts', import.meta.url),
    threadData: toCrawlSettings(config),
    report,
    serves: { tellRun: async (news: RunNews) => tellRun(news) },
    startScheduled,
  })
}
