// Before each test file: fast-check gets the seed of the run, which repeats its inputs. It creates arrays and strings of at most
// about a hundred elements. `maxLength` alone does not make them longer; `size: 'max'` does. And `fetch` reuses no connection
// that its server has closed while this process was blocked.
import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    seed: number
  }
}

fc.configureGlobal({ seed: inject('seed'), baseSize: 'medium' })

/** Milliseconds after which `fetch` drops an idle connection, if its timer runs; a server of Lectern closes it after ten seconds. */
const keepAlive = 4_000
const { fetch, setImmediate } = globalThis
let fetchedAt = 0
async function patientFetch(...request: Parameters<typeof fetch>) {
  const stoodStill = performance.now() - fetchedAt > keepAlive
  // Pending events are read in the next turn of the event loop.
  for (let turn = 0; stoodStill && turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  fetchedAt = performance.now()
  return fetch(...request)
}
// Files that share a worker run this again.
if (fetch.name !== patientFetch.name) globalThis.fetch = patientFetch
