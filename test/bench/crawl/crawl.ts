// Crawl and index of both manuals compared with crawlers that only fetch and read title and links, on the same server in
// the same run, in alternating rounds. A reference's time is from its first request to its last (without its start-up
// and shutdown), Lectern's from the call that starts the sync to the end that the run reports.
import type { BenchOptions } from '../bench-options.ts'
import { addProject, openLectern, sync } from '../lectern.ts'
import { openReferences } from '../references.ts'
import { type Table, toTarget } from '../report.ts'
import { largeManuals, type Manual } from '../site/manuals.ts'
import { type BenchSite, openManualSite, openSite, type Request } from '../site/open-site.ts'
import { medianRow } from '../statistics.ts'
import { createCrawlers } from './crawlers.ts'
import { measureStages } from './stages.ts'

const cores = 2
/** The crawler whose pages the others must match. */
const measure = 'bare loop'

type Figures = { pages: number; seconds: number; cpu: number; peak: number }

export async function measureCrawl({ rounds }: BenchOptions): Promise<Table[]> {
  const crawlers = createCrawlers(await openReferences())
  const site = await openManualSite()
  const measured = new Map<string, Figures[]>()
  const fetched = new Map<string, Set<string>>()
  const note = (manual: string, crawler: string, figures: Omit<Figures, 'pages'>, requests: Request[]) => {
    const key = `${manual} ${crawler}`
    const pages = pagesOf(requests)
    fetched.set(key, pages)
    measured.set(key, [...(measured.get(key) ?? []), { ...figures, pages: pages.size }])
  }
  const stages: Table['rows'] = []
  try {
    for (let round = 0; round < rounds; round++) {
      for (const manual of largeManuals) {
        const prefix = `${site.origin}/${manual.name}/`
        for (const { name, crawl } of crawlers) {
          if (!crawl) continue
          const { cpu, peak } = await crawl({ start: `${prefix}index.html`, prefix })
          const requests = await site.takeRequests()
          const seconds = (requests.at(-1)!.at - requests[0]!.at) / 1000
          note(manual.name, name, { seconds, cpu, peak }, requests)
        }
        const { requests, ...figures } = await crawlByLectern(site, manual.name)
        note(manual.name, 'Lectern', figures, requests)
      }
    }
    for (const { name } of largeManuals) {
      stages.push(...(await measureStages(name, (env) => crawlByLectern(site, name, env))))
    }
  } finally {
    await site.close()
  }
  const medians = new Map([...measured].map(([key, rows]) => [key, medianRow(rows)]))
  const names = [...crawlers.map((crawler) => crawler.name), 'Lectern']
  const tables = [toTable(medians, names), toSamePages(fetched, names)]
  const title = 'Crawl: where the time of a sync goes, by thread (sampled, in a sync of its own)'
  tables.push({ title, rows: stages }, toTargets(medians), await measureTenfold(largeManuals[0]!))
  return tables
}

async function crawlByLectern(site: BenchSite, path: string, env: Record<string, string> = {}) {
  const lectern = await openLectern({ env })
  try {
    await addProject(lectern, 'bench', { url: `${site.origin}/${path}/index.html`, include: ['**.html'] })
    await site.takeRequests()
    const from = microseconds()
    const { seconds, cpu, peak } = await sync(lectern, 'bench')
    return { seconds, cpu, peak, requests: await site.takeRequests(), from, to: microseconds() }
  } finally {
    await lectern.remove()
  }
}

/** Of the machine's monotonic clock. */
function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Pages served completely. */
function pagesOf(requests: Request[]): Set<string> {
  const served = requests.filter(({ path, status }) => status === 200 && path.endsWith('.html'))
  return new Set(served.map(({ path }) => path))
}

/** The elements of one set that the other lacks, in both directions. */
function beyond(some: Set<string>, others: Set<string>): string[] {
  return [...some].filter((path) => !others.has(path))
}

/** Figures are comparable only between crawlers that read the same pages. */
function toSamePages(fetched: Map<string, Set<string>>, crawlers: string[]): Table {
  const notes: string[] = []
  const rows = largeManuals.flatMap((manual) => {
    const expected = fetched.get(`${manual.name} ${measure}`) ?? new Set()
    return crawlers.flatMap((crawler) => {
      const pages = fetched.get(`${manual.name} ${crawler}`)
      if (!pages) return []
      const [missing, more] = [beyond(expected, pages), beyond(pages, expected)]
      const shown = [...missing.map((path) => `-${path}`), ...more.map((path) => `+${path}`)].slice(0, 5)
      if (shown.length > 0) notes.push(`${manual.name}, ${crawler}: ${shown.join(' ')}`)
      const same = shown.length === 0 ? 'yes' : 'NO'
      return { manual: manual.name, crawler, missing: missing.length, more: more.length, same }
    })
  })
  return { title: `Crawl: the same pages as the ${measure}`, rows, notes }
}

function toTable(medians: Map<string, Figures>, crawlers: string[]): Table {
  const rows = largeManuals.flatMap((manual) =>
    crawlers.flatMap((crawler) => {
      const figures = medians.get(`${manual.name} ${crawler}`)
      const lectern = medians.get(`${manual.name} Lectern`)
      if (!figures) return []
      return {
        manual: manual.name,
        crawler,
        pages: figures.pages,
        'pages/s': rate(figures),
        'wall s': figures.seconds,
        'CPU s': figures.cpu,
        'busy %': 100 * busyShare(figures),
        'peak MB': figures.peak,
        'Lectern ×': lectern ? rate(lectern) / rate(figures) : null,
      }
    }),
  )
  return { title: 'Crawl: references fetch and read title and links; Lectern also indexes', rows }
}

function toTargets(medians: Map<string, Figures>): Table {
  const targets = { Scrapy: 1.4, Crawlee: 1.6, 'bare loop': 0.33 }
  const rows = largeManuals.flatMap(({ name }) => {
    const lectern = medians.get(`${name} Lectern`)!
    const ratios = Object.entries(targets).flatMap(([crawler, target]) => {
      const figures = medians.get(`${name} ${crawler}`)
      if (!figures) return []
      return toTarget(`${name}: Lectern's pages/s, × ${crawler}`, rate(lectern) / rate(figures), '≥', target)
    })
    return [
      ...ratios,
      toTarget(`${name}: processor time of ${cores} cores, %`, 100 * busyShare(lectern), '≥', 90),
      toTarget(`${name}: peak memory, MB`, lectern.peak, '≤', 600),
    ]
  })
  return { title: 'Crawl: targets', rows }
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
      (each) => `${pagesOf(each.requests).size} pages in ${each.seconds} s: peak ${Math.round(each.peak)} MB`,
    )
    return { title: 'Crawl: memory', rows, notes }
  } finally {
    await site.close()
  }
}

/** Of two cores. Without the site's server, which is a separate process on the same machine. */
function busyShare({ cpu, seconds }: Figures): number {
  return cpu / (cores * seconds)
}

function rate({ pages, seconds }: Figures): number {
  return pages / seconds
}
