// Lectern's own share of a search on Weaviate: the time at the REST port minus the time that Lectern waited for Weaviate.
// Of a corpus of each of `--sizes`.
import { mkdtemp, readFile, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { adminKey } from '../../e2e/lectern-process.ts'
import { openWeaviate } from '../../servers/weaviate.ts'
import type { BenchOptions } from '../bench-options.ts'
import { type Corpus, writeCorpus } from '../corpus/written-corpus.ts'
import { addProject, openLectern, sync } from '../lectern.ts'
import { type Table, toTarget } from '../report.ts'
import { percentile, timed } from '../statistics.ts'

const defaultSizes = [17_000]
const emptyRequests = 1_000
const slug = 'share'
const target = 4

/** Milliseconds of each search. */
interface Times {
  total: number[]
  weaviate: number[]
}

export async function measureShare({ rounds, sizes }: BenchOptions): Promise<Table[]> {
  const corpus = writeCorpus()
  const tables: Table[] = []
  try {
    for (const size of sizes.length > 0 ? sizes : defaultSizes)
      tables.push(...(await measureSize(corpus, size, rounds)))
  } finally {
    corpus.remove()
  }
  return tables
}

async function measureSize(corpus: Corpus, size: number, rounds: number): Promise<Table[]> {
  const site = await corpus.open(size)
  const source = { url: `${site.origin}/corpus/index.html` }
  const queries = Object.entries(corpus.keystrokes).flatMap(([kind, texts]) =>
    texts.map((text) => ({ kind, text })),
  )
  const weaviate = await openWeaviate()
  const data = await mkdtemp(join(tmpdir(), 'lectern-share-'))
  const waits = await openWaits(join(data, 'weaviate-times'))
  const lectern = await openLectern({
    data,
    env: { LECTERN_WEAVIATE_URL: weaviate.url, LECTERN_WEAVIATE_GRPC: weaviate.grpc, ...waits.env },
  })
  try {
    await addProject(lectern, slug, source)
    await sync(lectern, slug)
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
    const search = (query: string) => get(`/api/v2/projects/${slug}/search/?q=${encodeURIComponent(query)}`)
    const all = new Map<string, Times>()
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const { kind, text } of queries) {
        await waits.take()
        const total = await timed(() => search(text))
        const weaviate = await waits.take()
        if (round === 0) continue
        for (const name of [kind, 'all']) {
          const times = all.get(name) ?? { total: [], weaviate: [] }
          times.total.push(total)
          times.weaviate.push(weaviate)
          all.set(name, times)
        }
      }
    }
    const empty: number[] = []
    for (let at = 0; at < emptyRequests; at++) empty.push(await timed(() => get('/healthz')))
    await pool.close()
    const [usual, slow] = [0.5, 0.95].map((share) => percentile(empty, share).toFixed(2))
    const rows = [...all].map(([kind, times]) => toRow(kind, times))
    const ours = rows.find((row) => row.class === 'all')!['share p95']
    return [
      {
        title: `Search on Weaviate, ${size} sections: Weaviate's time and Lectern's own share, ms`,
        rows,
        notes: [`the share holds the way from and to the client: /healthz takes ${usual} ms, p95 ${slow}`],
      },
      {
        title: `Search on Weaviate, ${size} sections: target`,
        rows: [toTarget("Lectern's share: p95, ms", ours, '≤', target)],
      },
    ]
  } finally {
    await lectern.remove()
    await site.close()
    await weaviate.remove()
  }
}

function toRow(kind: string, { total, weaviate }: Times) {
  const share = total.map((ms, at) => ms - weaviate[at]!)
  return {
    class: kind,
    searches: total.length,
    'total p50': percentile(total, 0.5),
    'Weaviate p50': percentile(weaviate, 0.5),
    'share p50': percentile(share, 0.5),
    'share p95': percentile(share, 0.95),
  }
}

/** The file that weaviate-times.ts writes. */
async function openWaits(file: string) {
  await writeFile(file, '')
  const hook = new URL('weaviate-times.ts', import.meta.url)
  return {
    env: { NODE_OPTIONS: `--import ${hook}`, WEAVIATE_TIMES: file },
    /** Milliseconds that Lectern waited for Weaviate since the last call. */
    async take(): Promise<number> {
      const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
      await truncate(file)
      return lines.reduce((sum, line) => sum + Number(line), 0)
    },
  }
}
