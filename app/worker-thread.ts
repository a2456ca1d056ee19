// Entry of the worker thread: Temporal has crawls run here, with a store and an index handle of their own.
import { randomUUID } from 'node:crypto'
import { workerData } from 'node:worker_threads'
import type { TemporalConfig } from '../services/config.ts'
import { startScheduled } from '../services/sync/start-run.ts'
import { serveThread } from '../services/thread/thread.ts'
import { openTemporalRuns } from '../workflows/temporal/temporal-runs.ts'
import { openTemporalWorker } from '../workflows/temporal/worker.ts'
import { openCrawlResources } from './crawl-resources.ts'
import type { CrawlSettings } from './crawl-settings.ts'

/** What the main thread hands over. */
export interface WorkerThreadSettings extends CrawlSettings {
  temporal: TemporalConfig
}

/** A type, not an interface, so that it fits what a thread serves. */
export type WorkerThreadApi = { close(): Promise<void> }

const settings = workerData as WorkerThreadSettings
const resources = await openCrawlResources(settings)
const { store, now } = resources
const runs = await openTemporalRuns({ ...settings.temporal, store, report: resources.report })
const worker = openTemporalWorker({
  ...settings.temporal,
  ...resources,
  runs,
  startScheduled: (project) => startScheduled({ store, runs, now, newUuid: randomUUID }, project),
})

serveThread('crawl', {
  async close() {
    await worker.close()
    await runs.close()
    await resources.parsePool.close()
    await resources.fetcher.close()
    await resources.index.close()
    await store.close()
  },
} satisfies WorkerThreadApi)
