// As-you-type search latency at growing corpora. References answer within a process of their own; Lectern at its REST port over
// one keep-alive connection, warm, with the product's default settings, its data crawled from the corpus served as a
// site of 50 sections a page.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { adminKey, type LecternProcess } from '../../e2e/lectern-process.ts'
import type { BenchOptions } from '../bench-options.ts'
import { type CorpusPart, sectionsPerPage } from '../corpus/corpus.ts'
import { readSections } from '../corpus/sections.ts'
import { addProject, openLectern, sync } from '../lectern.ts'
import { type Table, toTarget } from '../report.ts'
import { largeManuals } from '../site/manuals.ts'
import { type BenchSite, openSite, toMount } from '../site/open-site.ts'
import { percentile } from '../statistics.ts'
import {
  emptyTimes,
  type KeystrokeClass,
  type Keystrokes,
  readKeystrokes,
  type Times,
  type,
} from './keystrokes.ts'
import { type LatencyEngine, openReference } from './references.ts'

const maxMiniSearch = 100_000
const p95Targets: Record<number, number> = { 100000: 10, 1000000: 30 }

export async function measureLatency({ sizes, ...options }: BenchOptions): Promise<Table[]> {
  const parts: CorpusPart[] = largeManuals.flatMap((manual) =>
    readSections(manual).map(({ heading, text }) => ({ heading, text })),
  )
  const rows: Table['rows'] = []
  const targets: Table['rows'] = []
  for (const size of sizes) {
    const measured = await measureSize(parts, size, options)
    rows.push(...measured.rows)
    targets.push(...measured.targets)
  }
  const tables: Table[] = [
    {
      title: 'Search latency: ms a keystroke',
      rows,
      notes: [
        'references within their own process; Lectern over REST, loaded by crawling the corpus as a site',
      ],
    },
  ]
  return targets.length > 0 ? [...tables, { title: 'Search latency: targets', rows: targets }] : tables
}

async function measureSize(
  parts: CorpusPart[],
  size: number,
  { rounds, referencesOnly, lecternOnly }: Omit<BenchOptions, 'sizes'>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-corpus-'))
  const file = join(folder, 'sections.json')
  writeFileSync(file, JSON.stringify(parts))
  const site = await openSite([
    { kind: 'corpus', path: '/corpus/', file, pages: Math.ceil(size / sectionsPerPage) },
    toMount(largeManuals[1]!),
  ])
  const lectern = referencesOnly ? null : await openLectern()
  // All are built at the same time: nothing is measured meanwhile.
  const opening = [
    ...(size <= maxMiniSearch && !lecternOnly ? [openReference('MiniSearch', file, size)] : []),
    ...(lecternOnly ? [] : [openReference('FTS5', file, size)]),
    ...(lectern ? [loadLectern(lectern, site)] : []),
  ]
  try {
    const engines = await Promise.all(opening)
    const keystrokes = readKeystrokes(parts)
    const times = new Map<string, Times>(engines.map(({ name }) => [name, emptyTimes()]))
    for (const engine of engines) await engine.type(keystrokes)
    for (let round = 0; round < rounds; round++) {
      for (const engine of engines) add(times.get(engine.name)!, await engine.type(keystrokes))
    }
    if (lectern) times.set('Lectern, during a sync', await typeDuringSync(lectern, site, keystrokes))
    return { rows: toRows(size, times), targets: lectern ? toTargets(size, times) : [] }
  } finally {
    for (const engine of await Promise.allSettled(opening)) {
      if (engine.status === 'fulfilled') await engine.value.close()
    }
    await lectern?.remove()
    await site.close()
    rmSync(folder, { recursive: true })
  }
}

function add(times: Times, more: Times) {
  for (const kind of Object.keys(times) as KeystrokeClass[]) times[kind].push(...more[kind])
}

async function loadLectern(lectern: LecternProcess, site: BenchSite): Promise<LatencyEngine> {
  await addProject(lectern, 'corpus', { url: `${site.origin}/corpus/index.html` })
  await sync(lectern, 'corpus')
  const { search, close } = openSearch(lectern)
  return { name: 'Lectern', type: (keystrokes) => type(search, keystrokes), close }
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

/** Types on and on while another project is crawled for the first time. */
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
    // Of every class from the start: the sync may end before all is typed.
    for (const kind of Object.keys(times) as KeystrokeClass[]) {
      const query = keystrokes[kind][times[kind].length % keystrokes[kind].length]!
      const start = performance.now()
      await search(query)
      times[kind].push(performance.now() - start)
    }
  }
  await run
  await close()
  return times
}

function toRows(sections: number, times: Map<string, Times>): Table['rows'] {
  return Object.keys(emptyTimes()).flatMap((kind) =>
    [...times].map(([engine, byClass]) => {
      const values = byClass[kind as KeystrokeClass]
      const ours = times.get('Lectern')?.[kind as KeystrokeClass]
      const p95 = percentile(values, 0.95)
      return {
        sections,
        class: kind,
        engine,
        keystrokes: values.length,
        p50: percentile(values, 0.5),
        p95,
        p99: percentile(values, 0.99),
        'Lectern p95 ×': ours ? percentile(ours, 0.95) / p95 : null,
      }
    }),
  )
}

function toTargets(sections: number, times: Map<string, Times>): Table['rows'] {
  const target = p95Targets[sections]
  return Object.keys(emptyTimes()).flatMap((kind) => {
    const idle = percentile(times.get('Lectern')![kind as KeystrokeClass], 0.95)
    const busy = percentile(times.get('Lectern, during a sync')![kind as KeystrokeClass], 0.95)
    const what = `${sections} sections, ${kind}`
    return [
      ...(target === undefined ? [] : [toTarget(`${what}: p95, ms`, idle, '≤', target)]),
      toTarget(`${what}: p95 during a sync, × idle`, busy / idle, '≤', 3),
    ]
  })
}
