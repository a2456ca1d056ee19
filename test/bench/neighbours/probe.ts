// The process that watches Lectern from outside, before all others that want the processor: how long it takes to say
// that it lives, and a reader's searches on another project. Arguments: the gateway's base address, the slug.
// Whoever forked it sends any message, and gets what was seen since the last one.
import { setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'

export interface Seen {
  /** Milliseconds of each answer. */
  alive: number[]
  searches: number[]
  /** Searches that were not answered 200 with results: status or error → how many. */
  refused: Record<string, number>
}

const [base, slug] = process.argv.slice(2) as [string, string]
const queries = [
  'i',
  'in',
  'ins',
  'inst',
  'install',
  'install w',
  'install widget',
  'remove gadget',
  'how do I install the widget',
]

let seen: Seen = { alive: [], searches: [], refused: {} }

async function watch(
  path: () => string,
  everyMs: number,
  note: (ms: number, status: string, body: string) => void,
) {
  const pool = new Pool(base, { connections: 1 })
  for (;;) {
    const start = performance.now()
    try {
      const { statusCode, body } = await pool.request({
        path: path(),
        method: 'GET',
        headers: { 'x-forwarded-for': `192.0.2.${1 + (Math.floor(start / 1_000) % 250)}` },
      })
      const text = await body.text()
      note(performance.now() - start, String(statusCode), text)
    } catch (error) {
      note(performance.now() - start, (error as Error).name, '')
    }
    await delay(everyMs)
  }
}

if (process.send) {
  try {
    setPriority(-10)
  } catch {
    // Not root: other programs count with it.
  }
  let asked = 0
  watch(
    () => '/healthz',
    10,
    (ms) => seen.alive.push(ms),
  )
  watch(
    () => `/api/v2/projects/${slug}/search/?q=${encodeURIComponent(queries[asked++ % queries.length]!)}`,
    25,
    (ms, status, body) => {
      seen.searches.push(ms)
      const isGood = status === '200' && JSON.parse(body).results.length > 0
      if (!isGood) seen.refused[status] = (seen.refused[status] ?? 0) + 1
    },
  )
  process.on('message', () => {
    const told = seen
    seen = { alive: [], searches: [], refused: {} }
    process.send?.(told)
  })
  process.on('disconnect', () => process.exit())
}
