// Entry of the sync thread: crawls run here, with a store and an index handle of their own.
import { workerData } from 'node:worker_threads'
import { createWork, type WorkApi } from '../../workflows/local/work.ts'
import { serveThread } from '../thread/thread.ts'
import { type CrawlSettings, openCrawlParts } from './crawl-parts.ts'

export type SyncThreadData = CrawlSettings

serveThread(createWork(await openCrawlParts(workerData as SyncThreadData)) satisfies WorkApi)
