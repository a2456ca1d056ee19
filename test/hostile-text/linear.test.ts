// Whatever reads a stranger's text by patterns reads half a megabyte of any shape at once: a pattern that tries again from every
// place would take half a minute.
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { readers } from './readers.ts'
import { hostileTexts, nameOf } from './shapes.ts'

/** Milliseconds for one text; the slowest reader takes less than half a second. */
const timeout = 15_000

/** The text at which the reader hangs, or null. */
function findEndless(reader: string): Promise<string | null> {
  const thread = new Worker(new URL('./reader-thread.ts', import.meta.url), {
    workerData: reader,
    execArgv: [],
  })
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout
    const giveUp = (at: number) => {
      thread.terminate()
      resolve(nameOf(hostileTexts[at]!))
    }
    thread.on('message', (at: number) => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, timeout, at)
    })
    thread.on('error', reject)
    thread.on('exit', () => {
      clearTimeout(timer)
      resolve(null)
    })
  })
}

it.each(Object.keys(readers))('%s', { timeout: 600_000 }, async (reader) => {
  expect(await findEndless(reader)).toBeNull()
})
