// Readers on a thread of their own, which can be ended while a pattern runs: it tells which text one begins with, and its end.
import { parentPort } from 'node:worker_threads'
import { readers } from './readers.ts'
import { hostileTexts } from './shapes.ts'

parentPort!.on('message', async (reader: string) => {
  for (const [at, text] of hostileTexts.entries()) {
    parentPort!.postMessage(at)
    await readers[reader]!(text)
  }
  parentPort!.postMessage(null)
})
