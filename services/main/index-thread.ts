// Entry of the index thread: what syncs add to the index is built and merged here.
import { setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'
import type { Backends } from '../config.ts'
import { toIndexApi } from '../index/index-thread.ts'
import { serveThread } from '../thread/thread.ts'
import { openIndex } from './drivers.ts'

export interface IndexThreadData {
  backends: Backends
}

// On Linux the priority is the thread's own: readers' requests go before crawling.
if (process.platform === 'linux') setPriority(3)

serveThread(toIndexApi(await openIndex((workerData as IndexThreadData).backends)))
