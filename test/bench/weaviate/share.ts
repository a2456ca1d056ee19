// Lectern's own share of a search on Weaviate: the time at the REST port less the time that Weaviate had the request. The hop
// through the process that measures counts as Lectern's.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'
import { openWeaviate } from '../../servers/weaviate.ts'
import type { BenchOptions } from '../bench.ts'
import { addProject, openLectern, sync } from '../lectern.ts'
import type { QueryClass } from '../quality/engine.ts'
import { readQueries } from '../quality/queries.ts'
import { type Table, toTarget } from '../report.ts'
import { manuals } from '../site/manuals.ts'
import { openManualSite } from '../site/open-site.ts'
import { percentile } from '../statistics.ts'

const mostOfClass = 100
const target = 3
const manual = manuals[1]!

interface Times {
  total: number[]
  weaviate: number[]
  share: number[]
}

export async function measureShare({ rounds }: BenchOptions): Promise<Table[]> {
  const weaviate = await openWeaviate()
  const timing = await openTiming(weaviate.grpcPort)
  const site = await openManualSite()
  const lectern = await openLectern({
    env: { LECTERN_WEAVIATE_URL: weaviate.url, LECTERN_WEAVIATE_GRPC: `127.0.0.1:${timing.port}` },
  })
  try {
    const exclude = manual.indexPages.map((glob) => `/${manual.name}/${glob}`)
    const url = `${site.origin}/${manual.name}/index.html`
    await addProject(lectern, manual.name, { url, include: ['**.html'], exclude })
    await sync(lectern, manual.name)
    const pool = new Pool(lectern.baseUrl, { connections: 1 })
    const search = async (query: string) => {
      const path = `/api/v2/projects/${manual.name}/search/?q=${encodeURIComponent(query)}`
      const { statusCode, body } = await pool.request({ path, method: 'GET' })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`search answered ${statusCode}: ${text}`)
    }
    const classes = byClass()
    await typeAll(classes, search, timing.take)
    const rows: Table['rows'] = []
    const all: Times = { total: [], weaviate: [], share: [] }
    for (let round = 0; round < rounds; round++) {
      for (const [kind, times] of await typeAll(classes, search, timing.take)) {
        rows.push(toRow(round + 1, kind, times))
        for (const key of ['total', 'weaviate', 'share'] as const) all[key].push(...times[key])
      }
    }
    rows.push(toRow('all', 'all', all))
    await pool.close()
    return [
      { title: "Search on Weaviate: Weaviate's time and Lectern's own share, ms", rows },
      {
        title: 'Search on Weaviate: target',
        rows: [toTarget("Lectern's share: p95, ms", percentile(all.share, 0.95), '≤', target)],
      },
    ]
  } finally {
    await lectern.remove()
    await site.close()
    timing.close()
    await weaviate.remove()
  }
}

function byClass(): Map<QueryClass, string[]> {
  const classes = new Map<QueryClass, string[]>()
  for (const query of readQueries(manual)) {
    const known = classes.get(query.class) ?? []
    if (known.length < mostOfClass) known.push(query.text)
    classes.set(query.class, known)
  }
  return classes
}

async function typeAll(
  classes: Map<QueryClass, string[]>,
  search: (query: string) => Promise<void>,
  take: () => Promise<number>,
): Promise<Map<QueryClass, Times>> {
  const all = new Map<QueryClass, Times>()
  for (const [kind, queries] of classes) {
    const times: Times = { total: [], weaviate: [], share: [] }
    for (const query of queries) {
      await take()
      const start = performance.now()
      await search(query)
      const total = performance.now() - start
      const weaviate = await take()
      times.total.push(total)
      times.weaviate.push(weaviate)
      times.share.push(total - weaviate)
    }
    all.set(kind, times)
  }
  return all
}

function toRow(round: number | string, kind: string, { total, weaviate, share }: Times) {
  return {
    round,
    class: kind,
    searches: total.length,
    'total p50': percentile(total, 0.5),
    'Weaviate p50': percentile(weaviate, 0.5),
    'share p50': percentile(share, 0.5),
    'share p95': percentile(share, 0.95),
  }
}

async function openTiming(port: number) {
  const child = fork(new URL('timing-process.ts', import.meta.url), [String(port)])
  const [own] = (await once(child, 'message')) as [number]
  return {
    port: own,
    /** Milliseconds that calls to Weaviate were under way since the last time. */
    async take(): Promise<number> {
      const told = once(child, 'message')
      child.send('take')
      return ((await told) as [number])[0]
    },
    close: () => child.disconnect(),
  }
}
