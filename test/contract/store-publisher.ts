// Publishes pages in sequence under a prefix, as a thread among others or a process that will be killed.
// Prints each page's number once the store has acknowledged it.
// Run as: node store-publisher.ts <file> <prefix> <count>
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import { listing, publication, settlement } from './store-case.ts'

export interface PublisherTask {
  file: string
  prefix: string
  count: number
}

const readTask = (): PublisherTask => {
  if (!isMainThread) return workerData as PublisherTask
  const [file, prefix, count] = process.argv.slice(2)
  return { file: file!, prefix: prefix!, count: Number(count) }
}

const say = (n: number): void => {
  if (isMainThread) process.stdout.write(`${n}\n`)
  else parentPort?.postMessage(n)
}

const { file, prefix, count } = readTask()
const store = await openSqliteStore(file)
const run = (await store.runs.live())[0]!
for (let n = 0; n < count; n++) {
  const path = `${prefix}-${n}`
  await store.frontier.discover(run.uuid, [listing(path), listing('shared')])
  await store.pages.publish('p1', run.fence, [publication(path)])
  await store.frontier.settle(run.uuid, [settlement(path)])
  say(n)
}
await store.close()
