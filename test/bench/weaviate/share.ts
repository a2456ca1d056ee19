// Lectern's own share of a search on Weaviate: the time at the REST port less the time that Lectern waited for Weaviate.
import { mkdtemp, readFile, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { adminKey } from '../../e2e/lectern-process.ts'
import { openWeaviate } from '../../servers/weaviate.ts'
import type { BenchOptions } from '../bench-options.ts'
import { addProject, openLectern, sync } from '../lectern.ts'
import type { QueryClass } from '../quality/engine.ts'
import { readQueries } from '../quality/queries.ts'
import { type Table, toTarget } from '../report.ts'
import { largeManuals } from '../site/manuals.ts'
import { openManualSite } from '../site/open-site.ts'
import { percentile } from '../statistics.ts'

const maxOfClass = 100
const emptyRequests = 1_000
const target = 3
const manual = largeManuals[1]!

interface Times {
  total: number[]
  weaviate: number[]
  share: number[]
  /** Different queries; after so many the next round begins. */
  queries: number
  /** Of each query the best round, where several classes are joined. */
  least?: number[]
}

export async function measureShare({ rounds }: BenchOptions): Promise<Table[]> {
  const weaviate = await openWeaviate()
  const site = await openManualSite()
  const data = await mkdtemp(join(tmpdir(), 'lectern-share-'))
  const waits = await openWaits(join(data, 'weaviate-times'))
  const lectern = await openLectern({
    data,
    env: { LECTERN_WEAVIATE_URL: weaviate.url, LECTERN_WEAVIATE_GRPC: weaviate.grpc, ...waits.env },
  })
  try {
    const exclude = manual.indexPages.map((glob) => `/${manual.name}/${glob}`)
    const url = `${site.origin}/${manual.name}/index.html`
    await addProject(lectern, manual.name, { url, include: ['**.html'], exclude })
    await sync(lectern, manual.name)
    const pool = new Pool(lectern.baseUrl, { connections: 1 })
    const get = async (path: string) => {
      const { statusCode, body } = await pool.request({
        path,
        method: 'GET',
        headers: { authorization: `Api-Key ${adminKey}` },
      })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`)
    }
    const search = (query: string) =>
      get(`/api/v2/projects/${manual.name}/search/?q=${encodeURIComponent(query)}`)
    const classes = byClass()
    await typeAll(classes, search, waits.take)
    const all = await typeRounds(rounds, () => typeAll(classes, search, waits.take))
    const empty: number[] = []
    for (let at = 0; at < emptyRequests; at++) empty.push(await timed(() => get('/healthz')))
    await pool.close()
    const [usual, slow] = [0.5, 0.95].map((share) => percentile(empty, share).toFixed(2))
    const rows = [...all].map(([kind, times]) => toRow(kind, times))
    const whole = joinTimes([...all.values()])
    const p95 = percentile(whole.share, 0.95)
    return [
      {
        title: "Search on Weaviate: Weaviate's time and Lectern's own share, ms",
        rows: [...rows, toRow('all', whole)],
        notes: [
          'at the least: of each query the best round, so without what else the machine does meanwhile',
          `the share holds the way from and to who measures: a request to /healthz takes ${usual} ms, p95 ${slow}`,
        ],
      },
      {
        title: 'Search on Weaviate: target',
        rows: [
          toTarget("Lectern's share: p95, ms", p95, '≤', target),
          toTarget("Lectern's share at the least: p95, ms", percentile(minimumsOf(whole), 0.95), '≤', target),
        ],
      },
    ]
  } finally {
    await lectern.remove()
    await site.close()
    await weaviate.remove()
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function byClass(): Map<QueryClass, string[]> {
  const classes = new Map<QueryClass, string[]>()
  for (const query of readQueries(manual)) {
    const known = classes.get(query.class) ?? []
    if (known.length < maxOfClass) known.push(query.text)
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
    const times: Times = { total: [], weaviate: [], share: [], queries: queries.length }
    for (const query of queries) {
      await take()
      const total = await timed(() => search(query))
      const weaviate = await take()
      times.total.push(total)
      times.weaviate.push(weaviate)
      times.share.push(total - weaviate)
    }
    all.set(kind, times)
  }
  return all
}

/** Times of all rounds, one after the other. */
async function typeRounds(
  rounds: number,
  type: () => Promise<Map<QueryClass, Times>>,
): Promise<Map<QueryClass, Times>> {
  const all = await type()
  for (const times of all.values()) times.queries = times.share.length
  for (let round = 1; round < rounds; round++) {
    for (const [kind, more] of await type()) {
      const times = all.get(kind)!
      for (const key of ['total', 'weaviate', 'share'] as const) times[key].push(...more[key])
    }
  }
  return all
}

/** Of each query the best round. */
function minimumsOf({ share, least, queries }: Times): number[] {
  if (least) return least
  return Array.from({ length: queries }, (_, query) =>
    Math.min(...share.filter((_, at) => at % queries === query)),
  )
}

function joinTimes(all: Times[]): Times {
  const of = (key: 'total' | 'weaviate' | 'share') => all.flatMap((times) => times[key])
  const queries = all.reduce((sum, times) => sum + times.queries, 0)
  return {
    total: of('total'),
    weaviate: of('weaviate'),
    share: of('share'),
    queries,
    least: all.flatMap(minimumsOf),
  }
}

function toRow(kind: string, times: Times) {
  const { total, weaviate, share } = times
  return {
    class: kind,
    searches: total.length,
    'total p50': percentile(total, 0.5),
    'Weaviate p50': percentile(weaviate, 0.5),
    'share p50': percentile(share, 0.5),
    'share p95': percentile(share, 0.95),
    'share at the least: p95': percentile(minimumsOf(times), 0.95),
  }
}

/** What weaviate-times.ts writes down. */
async function openWaits(file: string) {
  await writeFile(file, '')
  const hook = new URL('weaviate-times.ts', import.meta.url)
  return {
    env: { NODE_OPTIONS: `--import ${hook}`, WEAVIATE_TIMES: file },
    /** Milliseconds that Lectern waited for Weaviate since the last time. */
    async take(): Promise<number> {
      const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
      await truncate(file)
      return lines.reduce((sum, line) => sum + Number(line), 0)
    },
  }
}
