// Entry of the index thread: what syncs add to the index is built and merged here.
import { setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'
import { openIndex } from '../drivers.ts'
import { serveThread } from '../thread/thread.ts'
import { type IndexThreadSettings, toIndexApi } from './index-client.ts'

// On Linux the priority is the thread's own: readers' requests go before crawling.
if (process.platform === 'linux') setPriority(3)

serveThread(toIndexApi(await openIndex((workerData as IndexThreadSettings).backends)))
