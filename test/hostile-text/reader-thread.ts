// One reader on a thread of its own, which can be ended while a pattern runs: it tells which text it begins with.
import { parentPort, workerData } from 'node:worker_threads'
import { readers } from './readers.ts'
import { hostileTexts } from './shapes.ts'

for (const [at, text] of hostileTexts.entries()) {
  parentPort!.postMessage(at)
  await readers[workerData as string]!(text)
}
