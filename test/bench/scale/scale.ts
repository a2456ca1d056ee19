// How Lectern scales: embedded, and as the processes of docker-compose.yml on the tests' servers, side by side. `--only` chooses parts.
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type ChatClient, openChat } from '../../e2e/gateway/chat-client.ts'
import { type BenchOptions, defaultSizes } from '../bench-options.ts'
import { sectionsPerPage } from '../corpus/corpus.ts'
import { type Corpus, writeCorpus } from '../corpus/written-corpus.ts'
import type { KeystrokeClass } from '../latency/keystrokes.ts'
import { type Table, toTarget } from '../report.ts'
import { median, percentile, timed } from '../statistics.ts'
import { readUsage } from '../usage.ts'
import {
  addProject,
  call,
  type Installation,
  kinds,
  open,
  readDisk,
  readMemory,
  type Scale,
  sampleKeystrokes,
  search,
  sync,
} from './installation.ts'

type Rows = Table['rows']
/** A part's table, and its figures that have a target. */
type Part = Table & { targets?: Rows }

/** Printed at once, too, because a part takes minutes. */
function addRow(rows: Rows, row: Rows[number]) {
  console.log(JSON.stringify(row))
  rows.push(row)
}

const siteCount = 8
/** Pages of the site that is crawled during searches, and of those that workers share. */
const otherPages = 40
const together = { projects: 50, pages: 4 }
const idleProjects = 200
const socketsPerGateway = 1_000
/** Concurrent requests until p95 has doubled: at most so many turns of a project are in progress, so none is refused. */
const concurrencies = [1, 2, 3, 4, 6, 8, 12, 16]
const carriedSections = 10_000
/** One address may have fewer sockets. */
const socketsPerAddress = 100

/** Parts by their name for `--only`. */
const parts: Record<string, (corpus: Corpus, sizes: number[]) => Promise<Part>> = {
  search: measureSearch,
  projects: measureTogether,
  idle: measureIdle,
  workers: measureWorkers,
  gateways: measureGateways,
  carries: measureCarried,
}

export async function measureScale({ sizes, only }: BenchOptions): Promise<Table[]> {
  const unknown = only.find((name) => !Object.hasOwn(parts, name))
  if (unknown !== undefined) throw new Error(`--only takes ${Object.keys(parts).join(', ')}, not ${unknown}`)
  const written = writeCorpus()
  const corpus = { ...written, keystrokes: sampleKeystrokes(written) }
  const tables: Table[] = []
  const targets: Rows = []
  try {
    for (const [name, measure] of Object.entries(parts)) {
      if (only.length > 0 && !only.includes(name)) continue
      const load = `The load was ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores before it.`
      const part = await measure(corpus, sizes.length > 0 ? sizes : defaultSizes)
      tables.push({ title: part.title, rows: part.rows, notes: [...(part.notes ?? []), load] })
      targets.push(...(part.targets ?? []))
    }
  } finally {
    corpus.remove()
  }
  return targets.length > 0 ? [...tables, { title: 'Scale: targets', rows: targets }] : tables
}

async function measureSearch(corpus: Corpus, sizes: number[]): Promise<Part> {
  const rows: Rows = []
  const targets: Rows = []
  for (const size of sizes) {
    for (const kind of kinds) {
      // Too large for the tests' stand-in for MongoDB.
      if (kind === 'servers' && size > 100_000) continue
      const sites = await Promise.all([corpus.open(size), corpus.open(otherPages * sectionsPerPage)])
      const lectern = await open(kind)
      try {
        await addProject(lectern, 'corpus', sites[0])
        const first = await sync(lectern, 'corpus')
        const memory = readMemory(lectern)
        const [base] = lectern.gateways as [string]
        await search(base, 'corpus', corpus.keystrokes)
        const idle = await search(base, 'corpus', corpus.keystrokes)
        await addProject(lectern, 'other', sites[1])
        let isOver = false
        const syncing = sync(lectern, 'other').finally(() => (isOver = true))
        const busy = await search(base, 'corpus', corpus.keystrokes, () => isOver)
        await syncing
        const unchanged = await sync(lectern, 'corpus')
        const row: Rows[number] = {
          sections: size,
          on: kind,
          'first sync s': first,
          'unchanged s': unchanged,
          ...memory,
          'disk MB': readDisk(lectern.data),
        }
        for (const [when, times] of Object.entries({ '': idle, ' in a sync': busy })) {
          for (const name of Object.keys(times) as KeystrokeClass[]) {
            const at = (share: number) => Math.round(percentile(times[name], share))
            row[`${name}${when} ms`] = `${at(0.5)} / ${at(0.95)}`
            if (size === 100_000 && kind === 'servers' && when === '')
              targets.push(toTarget(`${size} sections on servers, ${name}: p95, ms`, at(0.95), '≤', 60))
          }
        }
        addRow(rows, row)
      } finally {
        await lectern.close()
        for (const site of sites) await site.close()
      }
    }
  }
  const notes = [
    'Searches at the REST port, one after the other: p50 / p95. Memory right after the first sync; no embedding model.',
  ]
  return { title: 'Scale: one project', rows, notes, targets }
}

/** Projects that are synced concurrently, on eight sites. */
async function measureTogether(corpus: Corpus): Promise<Part> {
  const rows: Rows = []
  const targets: Rows = []
  for (const kind of kinds) {
    await withProjects(corpus, kind, together.projects, together.pages, async (lectern, slugs) => {
      const seconds = await Promise.all(slugs.map((slug) => sync(lectern, slug)))
      const [middle, slowest] = [median(seconds), Math.max(...seconds)]
      targets.push(
        toTarget(`${slugs.length} projects ${kind}: slowest sync, × median`, slowest / middle, '≤', 1.5),
      )
      addRow(rows, {
        on: kind,
        projects: slugs.length,
        'fastest s': Math.min(...seconds),
        'median s': middle,
        'slowest s': slowest,
        'slowest / median': slowest / middle,
        ...readMemory(lectern),
      })
    })
  }
  return { title: `Scale: projects of ${together.pages} pages synced at once`, rows, targets }
}

async function measureIdle(corpus: Corpus): Promise<Table> {
  const rows: Rows = []
  for (const kind of kinds) {
    await withProjects(corpus, kind, idleProjects, 1, async (lectern, slugs) => {
      for (let at = 0; at < slugs.length; at += 20)
        await Promise.all(slugs.slice(at, at + 20).map((slug) => sync(lectern, slug)))
      // Crawl and parse threads end after half a minute without work.
      await delay(45_000)
      const cpu = async () =>
        await Promise.all(
          lectern.processes.map(async ([name, pid]) => ({ name, cpu: (await readUsage(pid)).cpu })),
        )
      const before = await cpu()
      await delay(20_000)
      const after = await cpu()
      const used = after.reduce((sum, { cpu }, at) => sum + cpu - before[at]!.cpu, 0)
      const times = await search(lectern.gateways[0]!, slugs[0]!, corpus.keystrokes)
      addRow(rows, {
        on: kind,
        projects: slugs.length,
        ...readMemory(lectern),
        'disk MB': readDisk(lectern.data),
        'cores used at rest': used / 20,
        'typing p95 ms': percentile(times.typing, 0.95),
      })
    })
  }
  return { title: 'Scale: projects at rest, a page each', rows }
}

async function withProjects(
  corpus: Corpus,
  kind: (typeof kinds)[number],
  count: number,
  pages: number,
  measure: (lectern: Installation, slugs: string[]) => Promise<void>,
  scale: Scale = {},
) {
  const sites = await Promise.all(
    Array.from({ length: Math.min(siteCount, count) }, () => corpus.open(pages * sectionsPerPage)),
  )
  const lectern = await open(kind, scale)
  const slugs = Array.from({ length: count }, (_, at) => `p${at}`)
  try {
    for (const [at, slug] of slugs.entries()) await addProject(lectern, slug, sites[at % siteCount]!)
    await measure(lectern, slugs)
  } finally {
    await lectern.close()
    for (const site of sites) await site.close()
  }
}

async function measureWorkers(corpus: Corpus): Promise<Part> {
  const rows: Rows = []
  const rates: number[] = []
  for (const worker of [1, 2, 4]) {
    await withProjects(
      corpus,
      'servers',
      siteCount,
      otherPages,
      async (lectern, slugs) => {
        const one = await sync(lectern, slugs[0]!)
        const begun = performance.now()
        await Promise.all(
          slugs
            .slice(1)
            .concat(slugs[0]!)
            .map((slug) => sync(lectern, slug)),
        )
        const eight = (performance.now() - begun) / 1_000
        rates.push(1 / eight)
        addRow(rows, {
          workers: worker,
          'one site s': one,
          'eight sites s': eight,
          'pages/s': (siteCount * otherPages) / eight,
          ...readMemory(lectern),
        })
      },
      { worker },
    )
  }
  const notes = [
    `Sites of ${otherPages} pages with ${sectionsPerPage} sections each; of the eight, one is unchanged.`,
  ]
  const [one, two] = rates as [number, number]
  const targets = [toTarget('eight sites: pages/s of two workers, × one', two / one, '≥', 1.7)]
  return { title: 'Scale: workers', rows, notes, targets }
}

async function measureGateways(corpus: Corpus): Promise<Table> {
  const rows: Rows = []
  for (const gateway of [1, 2, 4]) {
    await withProjects(
      corpus,
      'servers',
      1,
      otherPages,
      async (lectern, [slug]) => {
        await sync(lectern, slug!)
        const before = readMemory(lectern)['Lectern MB']
        const begun = performance.now()
        const sockets: ChatClient[] = []
        for (const base of lectern.gateways) {
          for (let at = 0; at < socketsPerGateway; at += socketsPerAddress) {
            const headers = { 'x-forwarded-for': `203.0.113.${at / socketsPerAddress + 1}` }
            const url = `${base.replace('http', 'ws')}/ws/messages/${slug}/`
            sockets.push(
              ...(await Promise.all(Array.from({ length: socketsPerAddress }, () => openChat(url, headers)))),
            )
          }
        }
        const opened = (performance.now() - begun) / 1_000
        const memory = readMemory(lectern)['Lectern MB']
        const times = await Promise.all(
          lectern.gateways.map((base) => search(base, slug!, corpus.keystrokes)),
        )
        const turns: number[] = []
        for (let at = 0; at < 20; at++) {
          const socket = sockets[Math.floor((at * sockets.length) / 20)]!
          turns.push(await timed(() => socket.ask({ message: 'How do I begin?' })))
        }
        for (const socket of sockets) socket.close()
        const all = times.flatMap(({ typing }) => typing)
        addRow(rows, {
          gateways: gateway,
          sockets: sockets.length,
          'opened in s': opened,
          'KB a socket': ((memory - before) * 1_024) / sockets.length,
          'typing p50 / p95 ms': `${Math.round(percentile(all, 0.5))} / ${Math.round(percentile(all, 0.95))}`,
          'turn p50 / p95 ms': `${Math.round(median(turns))} / ${Math.round(percentile(turns, 0.95))}`,
        })
      },
      { gateway },
    )
  }
  return {
    title: 'Scale: gateways',
    rows,
    notes: ['Searches go through all gateways at once, one after the other through each.'],
  }
}

/** Searches and turns of one process, from as many readers at once as double their p95. */
async function measureCarried(corpus: Corpus): Promise<Part> {
  const rows: Rows = []
  const pages = carriedSections / sectionsPerPage
  await withProjects(corpus, 'embedded', 1, pages, async (lectern, [slug]) => {
    await sync(lectern, slug!)
    const { typing, questions } = corpus.keystrokes
    const base = lectern.gateways[0]!
    const [[, pid]] = lectern.processes as [[string, number]]
    const search = (at: number) =>
      call(base, 'GET', `${slug}/search/?q=${encodeURIComponent(typing[at % typing.length]!)}`)
    const turn = (at: number) =>
      call(base, 'POST', `${slug}/chats/`, { message: questions[at % questions.length] })
    for (const { what, count, send } of [
      { what: 'searches', count: 1_000, send: search },
      { what: 'turns', count: 400, send: turn },
    ]) {
      await sendAll(count / 2, 2, send)
      let alone = Number.NaN
      for (const concurrent of concurrencies) {
        const before = await readUsage(pid)
        const begun = performance.now()
        const times = await sendAll(count, concurrent, send)
        const seconds = (performance.now() - begun) / 1_000
        const { cpu } = await readUsage(pid)
        const p95 = percentile(times, 0.95)
        if (concurrent === 1) alone = p95
        addRow(rows, {
          requests: what,
          'at once': concurrent,
          'a second': count / seconds,
          'p50 ms': median(times),
          'p95 ms': p95,
          'p95 × of one at once': p95 / alone,
          'cores used': (cpu - before.cpu) / seconds,
        })
        if (p95 > 2 * alone) break
      }
    }
  })
  const notes = [
    `One process with a project of ${carriedSections} sections, no embedding model and no language model. Searches are beginnings of words; a turn is a question in a new chat. The client is a separate process on the same machine.`,
  ]
  return { title: 'Scale: what one process carries', rows, notes }
}

/** Sends `count` requests, `concurrent` at once. Returns the milliseconds of each. */
async function sendAll(
  count: number,
  concurrent: number,
  send: (at: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = []
  let next = 0
  const reader = async () => {
    while (next < count) times.push(await timed(() => send(next++)))
  }
  await Promise.all(Array.from({ length: concurrent }, reader))
  return times
}
