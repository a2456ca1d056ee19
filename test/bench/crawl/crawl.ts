// Crawl and index of both manuals against crawlers that only fetch and read title and links, on the same server in
// the same run, round by round in turn. A reference's time is from its first request to its last (neither its start-up
// nor its end is counted), Lectern's from the call that starts the sync to the end that the run states.
import type { BenchOptions } from '../bench.ts'
import { addProject, openLectern, sync } from '../lectern.ts'
import { openReferences } from '../references.ts'
import { type Table, toTarget } from '../report.ts'
import { type Manual, manuals } from '../site/manuals.ts'
import { type BenchSite, openManualSite, openSite } from '../site/open-site.ts'
import { medianRow } from '../statistics.ts'
import { createCrawlers } from './crawlers.ts'

type Figures = { pages: number; seconds: number; cpu: number; peak: number }

export async function measureCrawl({ rounds, referencesOnly }: BenchOptions): Promise<Table[]> {
  const crawlers = createCrawlers(await openReferences())
  const site = await openManualSite()
  const measured = new Map<string, Figures[]>()
  const note = (manual: string, crawler: string, figures: Figures) => {
    const key = `${manual} ${crawler}`
    measured.set(key, [...(measured.get(key) ?? []), figures])
  }
  try {
    for (let round = 0; round < rounds; round++) {
      for (const manual of manuals) {
        const prefix = `${site.origin}/${manual.name}/`
        for (const { name, crawl } of crawlers) {
          if (!crawl) continue
          const { cpu, peak } = await crawl({ start: `${prefix}index.html`, prefix })
          const requests = await site.takeRequests()
          const seconds = (requests.at(-1)!.at - requests[0]!.at) / 1000
          note(manual.name, name, { pages: countPages(requests), seconds, cpu, peak })
        }
        if (!referencesOnly) note(manual.name, 'Lectern', await crawlByLectern(site, manual.name))
      }
    }
  } finally {
    await site.close()
  }
  const medians = new Map([...measured].map(([key, rows]) => [key, medianRow(rows)]))
  const tables = [toTable(medians, [...crawlers.map((crawler) => crawler.name), 'Lectern'])]
  if (!referencesOnly) tables.push(toTargets(medians), await measureTenfold(manuals[0]!))
  return tables
}

async function crawlByLectern(site: BenchSite, path: string): Promise<Figures> {
  const lectern = await openLectern()
  try {
    await addProject(lectern, 'bench', { url: `${site.origin}/${path}/index.html`, include: ['**.html'] })
    await site.takeRequests()
    const { seconds, cpu, peak } = await sync(lectern, 'bench')
    return { pages: countPages(await site.takeRequests()), seconds, cpu, peak }
  } finally {
    await lectern.remove()
  }
}

/** Pages served whole, each once. */
function countPages(requests: { path: string; status: number }[]): number {
  return new Set(requests.filter(({ status }) => status === 200).map(({ path }) => path)).size
}

function toTable(medians: Map<string, Figures>, crawlers: string[]): Table {
  const rows = manuals.flatMap((manual) =>
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
        'peak MB': figures.peak,
        'Lectern ×': lectern ? rate(lectern) / rate(figures) : null,
      }
    }),
  )
  return { title: 'Crawl: references fetch and read title and links; Lectern also indexes', rows }
}

function toTargets(medians: Map<string, Figures>): Table {
  const targets = { Scrapy: 2.5, Crawlee: 3, 'bare loop': 0.4 }
  const rows = manuals.flatMap(({ name }) =>
    Object.entries(targets).flatMap(([crawler, target]) => {
      const figures = medians.get(`${name} ${crawler}`)
      if (!figures) return []
      const ratio = rate(medians.get(`${name} Lectern`)!) / rate(figures)
      return toTarget(`${name}: Lectern's pages/s, × ${crawler}`, ratio, '≥', target)
    }),
  )
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
      (each) => `${each.pages} pages in ${each.seconds} s: peak ${Math.round(each.peak)} MB`,
    )
    return { title: 'Crawl: memory', rows, notes }
  } finally {
    await site.close()
  }
}

function rate({ pages, seconds }: Figures): number {
  return pages / seconds
}
