// Entry of the crawl thread: crawls run here, with a store and an index handle of their own.
import { workerData } from 'node:worker_threads'
import { serveThread } from '../services/thread/thread.ts'
import { createWork, type WorkApi } from '../workflows/local/work.ts'
import { openCrawlResources } from './crawl-resources.ts'
import type { CrawlSettings } from './crawl-settings.ts'

serveThread('crawl', createWork(await openCrawlResources(workerData as CrawlSettings)) satisfies WorkApi)
