// Every reader of untrusted text by patterns reads a fifth of a megabyte of any shape at once. A pattern that backtracks from
// every position would take several seconds.
import { Worker } from 'node:worker_threads'
import { afterAll, expect, it } from 'vitest'
import { readers } from './readers.ts'
import { hostileTexts, nameOf } from './shapes.ts'

/** Microseconds of processor time for one text. The slowest reader takes less than a second, a busy machine twice as much. */
const limit = 4_000_000
/** Milliseconds between two checks of the process's clock, in which only the reader works. */
const interval = 250

/** Reads for all readers, until one of them hangs. */
let thread: Worker | null = null
afterAll(() => thread?.terminate())

/** The text at which the reader hangs, or null. */
async function findEndless(reader: string): Promise<string | null> {
  thread ??= new Worker(new URL('./reader-thread.ts', import.meta.url), { execArgv: [] })
  const used = thread
  let at = 0
  /** Waits until the thread has loaded its modules. */
  let begun: NodeJS.CpuUsage | null = null
  const read = new Promise<null>((resolve, reject) => {
    used.removeAllListeners()
    used.on('error', (error) => {
      thread = null
      reject(error)
    })
    used.on('message', (next: number | null) => {
      if (next === null) return resolve(null)
      at = next
      begun = process.cpuUsage()
    })
    used.postMessage(reader)
  })
  let looking: NodeJS.Timeout | undefined
  const hangs = new Promise<string>((resolve) => {
    looking = setInterval(() => {
      if (begun !== null && process.cpuUsage(begun).user >= limit) resolve(nameOf(hostileTexts[at]!))
    }, interval)
  })
  const endless = await Promise.race([read, hangs]).finally(() => clearInterval(looking))
  if (endless !== null) {
    thread = null
    await used.terminate()
  }
  return endless
}

it.each(Object.keys(readers))('%s', { timeout: 600_000 }, async (reader) => {
  expect(await findEndless(reader)).toBeNull()
})
