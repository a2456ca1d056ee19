// Crawl and index of both manuals against a bare loop that only fetches and reads title and links, on the same server in
// the same run, in turn. The loop's time is from its first request to its last (neither its start-up nor its end is
// counted), Lectern's from the call that starts the sync to the end that the run states.
import { fileURLToPath } from 'node:url'
import type { BenchOptions } from '../bench-options.ts'
import { addProject, openLectern, sync } from '../lectern.ts'
import { type Table, toTarget } from '../report.ts'
import { largeManuals, type Manual } from '../site/manuals.ts'
import { type BenchSite, openManualSite, openSite, type Request } from '../site/open-site.ts'
import { medianRow } from '../statistics.ts'
import { runMeasured } from '../usage.ts'
import { measureStages } from './stages.ts'

const bareLoop = fileURLToPath(new URL('bare-loop.ts', import.meta.url))
const minShare = 0.45

export async function measureCrawl({ rounds }: BenchOptions): Promise<Table[]> {
  const site = await openManualSite()
  const rows: Table['rows'] = []
  const same: Table['rows'] = []
  const stages: Table['rows'] = []
  const targets: Table['rows'] = []
  const notes: string[] = []
  try {
    for (const { name } of largeManuals) {
      const runs = { 'bare loop': [] as Figures[], Lectern: [] as Figures[] }
      let paths = { 'bare loop': new Set<string>(), Lectern: new Set<string>() }
      for (let round = 0; round < rounds; round++) {
        const bare = await crawlByBareLoop(site, name)
        const lectern = await crawlByLectern(site, name)
        paths = { 'bare loop': listPages(bare.requests), Lectern: listPages(lectern.requests) }
        for (const [crawler, { seconds, cpu, peak }] of Object.entries({
          'bare loop': bare,
          Lectern: lectern,
        })) {
          const pages = paths[crawler as keyof typeof paths].size
          runs[crawler as keyof typeof runs].push({ pages, seconds, cpu, peak, 'pages/s': pages / seconds })
        }
      }
      const bare = medianRow(runs['bare loop'])
      const lectern = medianRow(runs.Lectern)
      rows.push(
        { manual: name, crawler: 'bare loop', ...bare },
        { manual: name, crawler: 'Lectern', ...lectern },
      )
      const missing = [...paths['bare loop']].filter((path) => !paths.Lectern.has(path))
      const more = [...paths.Lectern].filter((path) => !paths['bare loop'].has(path))
      same.push({ manual: name, missing: missing.length, more: more.length })
      notes.push(
        ...missing.slice(0, 5).map((path) => `-${path}`),
        ...more.slice(0, 5).map((path) => `+${path}`),
      )
      stages.push(...(await measureStages(name, (env) => crawlByLectern(site, name, env))))
      const ratio = lectern['pages/s'] / bare['pages/s']
      targets.push(toTarget(`${name}: Lectern's pages/s, × bare loop`, ratio, '≥', minShare))
    }
  } finally {
    await site.close()
  }
  return [
    { title: 'Crawl: the bare loop fetches and reads title and links; Lectern also indexes', rows },
    {
      title: 'Crawl: the pages of the bare loop that Lectern did not fetch, and those that only it fetched',
      rows: same,
      notes,
    },
    {
      title: 'Crawl: where the time of a sync goes, by thread (sampled, in a sync of its own)',
      rows: stages,
    },
    { title: 'Crawl: targets', rows: targets },
    await measureTenfold(largeManuals[0]!),
  ]
}

type Figures = { pages: number; seconds: number; cpu: number; peak: number; 'pages/s': number }

async function crawlByBareLoop(site: BenchSite, path: string) {
  const prefix = `${site.origin}/${path}/`
  await site.takeRequests()
  const usage = await runMeasured([process.execPath, bareLoop, `${prefix}index.html`, prefix], {
    NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
  })
  const requests = await site.takeRequests()
  return { ...usage, requests, seconds: (requests.at(-1)!.at - requests[0]!.at) / 1000 }
}

async function crawlByLectern(site: BenchSite, path: string, env: Record<string, string> = {}) {
  const lectern = await openLectern({ env })
  try {
    await addProject(lectern, 'bench', { url: `${site.origin}/${path}/index.html`, include: ['**.html'] })
    await site.takeRequests()
    const from = readMicroseconds()
    const { seconds, cpu, peak } = await sync(lectern, 'bench')
    return { seconds, cpu, peak, requests: await site.takeRequests(), from, to: readMicroseconds() }
  } finally {
    await lectern.remove()
  }
}

/** Of the machine's monotonic clock. */
function readMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Pages served whole. */
function listPages(requests: Request[]): Set<string> {
  const served = requests.filter(({ path, status }) => status === 200 && path.endsWith('.html'))
  return new Set(served.map(({ path }) => path))
}

async function measureTenfold(manual: Manual): Promise<Table> {
  const site = await openSite([
    { kind: 'folder', path: '/one/', root: manual.root },
    { kind: 'tenfold', path: '/ten/', root: manual.root },
  ])
  try {
    const [one, ten] = [await crawlByLectern(site, 'one'), await crawlByLectern(site, 'ten')]
    const rows = [
      toTarget(`${manual.name}: peak memory of ten times the site, ×`, ten.peak / one.peak, '≤', 1.5),
    ]
    const notes = [one, ten].map(
      (each) =>
        `${listPages(each.requests).size} pages in ${each.seconds} s: peak ${Math.round(each.peak)} MB`,
    )
    return { title: 'Crawl: memory', rows, notes }
  } finally {
    await site.close()
  }
}
