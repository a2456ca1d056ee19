// Readers on a separate thread, which can be terminated while a pattern runs. It reports when it begins a text, and its end.
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
