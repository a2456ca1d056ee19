// Whatever reads a stranger's text by patterns reads half a megabyte of any shape at once: a pattern that tries again from every
// place would take half a minute.
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { readers } from './readers.ts'
import { hostileTexts, nameOf } from './shapes.ts'

/** Microseconds of processor time for one text; the slowest reader takes less than a second. */
const limit = 15_000_000
/** Milliseconds between two looks at the clock of the process, in which only the reader works. */
const interval = 500

/** The text at which the reader hangs, or null. */
function findEndless(reader: string): Promise<string | null> {
  const thread = new Worker(new URL('./reader-thread.ts', import.meta.url), {
    workerData: reader,
    execArgv: [],
  })
  return new Promise((resolve, reject) => {
    let at = 0
    let begun = process.cpuUsage()
    const looking = setInterval(() => {
      if (process.cpuUsage(begun).user < limit) return
      resolve(nameOf(hostileTexts[at]!))
      thread.terminate()
    }, interval)
    thread.on('message', (next: number) => {
      at = next
      begun = process.cpuUsage()
    })
    thread.on('error', reject)
    thread.on('exit', () => {
      clearInterval(looking)
      resolve(null)
    })
  })
}

it.each(Object.keys(readers))('%s', { timeout: 600_000 }, async (reader) => {
  expect(await findEndless(reader)).toBeNull()
})
