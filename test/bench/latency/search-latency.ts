// As-you-type search latency at growing corpora: at the REST port over one keep-alive connection, warm, with the product's
// default settings, and data crawled from the corpus as a site of 50 sections per page.
import { Pool } from 'undici'
import { adminKey, type LecternProcess } from '../../e2e/lectern-process.ts'
import { type BenchOptions, defaultSizes } from '../bench-options.ts'
import { type Corpus, writeCorpus } from '../corpus/written-corpus.ts'
import { addProject, openLectern, sync } from '../lectern.ts'
import { type Table, toTarget } from '../report.ts'
import { largeManuals } from '../site/manuals.ts'
import { type BenchSite, toMount } from '../site/open-site.ts'
import { percentile, timed } from '../statistics.ts'
import { emptyTimes, type KeystrokeClass, type Keystrokes, type Times, type } from './keystrokes.ts'

const classes = Object.keys(emptyTimes()) as KeystrokeClass[]
/** Milliseconds, by the number of sections. */
const p95Targets: Record<number, { idle: number; 'during a sync'?: number }> = {
  17000: { idle: 10, 'during a sync': 20 },
  100000: { idle: 10 },
  1000000: { idle: 30 },
}

export async function measureLatency({ sizes, rounds }: BenchOptions): Promise<Table[]> {
  const corpus = writeCorpus()
  const rows: Table['rows'] = []
  const targets: Table['rows'] = []
  for (const size of sizes.length > 0 ? sizes : defaultSizes) {
    const measured = await measureSize(corpus, size, rounds)
    rows.push(...measured.rows)
    targets.push(...measured.targets)
  }
  corpus.remove()
  return [
    { title: 'Search latency: ms a keystroke', rows },
    { title: 'Search latency: targets', rows: targets },
  ]
}

async function measureSize({ keystrokes, open }: Corpus, size: number, rounds: number) {
  const site = await open(size, toMount(largeManuals[1]!))
  const lectern = await openLectern()
  try {
    await addProject(lectern, 'corpus', { url: `${site.origin}/corpus/index.html` })
    await sync(lectern, 'corpus')
    const { search, close } = openSearch(lectern)
    const idle = emptyTimes()
    await type(search, keystrokes)
    for (let round = 0; round < rounds; round++) {
      const times = await type(search, keystrokes)
      for (const kind of classes) idle[kind].push(...times[kind])
    }
    await close()
    const busy = await typeDuringSync(lectern, site, keystrokes)
    return { rows: toRows(size, { idle, 'during a sync': busy }), targets: toTargets(size, idle, busy) }
  } finally {
    await lectern.remove()
    await site.close()
  }
}

/** One keep-alive connection to the REST port. */
function openSearch(lectern: LecternProcess) {
  const pool = new Pool(lectern.baseUrl, { connections: 1 })
  return {
    async search(query: string) {
      const path = `/api/v2/projects/corpus/search/?q=${encodeURIComponent(query)}`
      const { statusCode, body } = await pool.request({
        path,
        method: 'GET',
        headers: { authorization: `Api-Key ${adminKey}` },
      })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`search answered ${statusCode}: ${text}`)
    },
    close: () => pool.close(),
  }
}

/** Types continuously while another project is crawled for the first time. */
async function typeDuringSync(
  lectern: LecternProcess,
  site: BenchSite,
  keystrokes: Keystrokes,
): Promise<Times> {
  await addProject(lectern, 'other', { url: `${site.origin}/${largeManuals[1]!.name}/index.html` })
  const times = emptyTimes()
  const { search, close } = openSearch(lectern)
  let isRunning = true
  const run = sync(lectern, 'other').finally(() => {
    isRunning = false
  })
  while (isRunning) {
    // From every class from the start, because the sync may end before everything is typed.
    for (const kind of classes) {
      const query = keystrokes[kind][times[kind].length % keystrokes[kind].length]!
      times[kind].push(await timed(() => search(query)))
    }
  }
  await run
  await close()
  return times
}

function toRows(sections: number, measured: Record<string, Times>): Table['rows'] {
  return classes.flatMap((kind) =>
    Object.entries(measured).map(([when, times]) => {
      const at = (share: number) => percentile(times[kind], share)
      const keystrokes = times[kind].length
      return { sections, class: kind, when, keystrokes, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
    }),
  )
}

function toTargets(sections: number, idle: Times, busy: Times): Table['rows'] {
  const targets = p95Targets[sections]
  const inSync = targets?.['during a sync']
  return classes.flatMap((kind) => {
    const [alone, beside] = [percentile(idle[kind], 0.95), percentile(busy[kind], 0.95)]
    const what = `${sections} sections, ${kind}`
    return [
      ...(targets ? [toTarget(`${what}: p95, ms`, alone, '≤', targets.idle)] : []),
      ...(inSync ? [toTarget(`${what}: p95 during a sync, ms`, beside, '≤', inSync)] : []),
      toTarget(`${what}: p95 during a sync, × idle`, beside / alone, '≤', 3),
    ]
  })
}
