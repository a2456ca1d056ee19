// One project under every attack at once, by its sites and by its readers, beside another that goes about its work.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type LecternProcess, type Run, runEnded, startLectern } from '../../e2e/lectern-process.ts'
import type { SiteName } from './hostile-sites.ts'
import type { Seen } from './probe.ts'

export interface Siege {
  /** What another project's reader saw before the attack, and while it went on. */
  before: Seen
  during: Seen
  /** The other project's sync, started when the attack had begun. */
  neighbour: Run
  /** The attacked project's own sync. */
  attacked: Run
  /** Peak resident memory, MB of 2^20 bytes. */
  peak: number
}

type HostileSource = { name: SiteName; type?: string; path?: string; max_pages?: number }

const sources: HostileSource[] = [
  { name: 'robots with 10⁸ rules' },
  { name: 'robots with __proto__' },
  { name: 'sitemap of 6,000,000 levels', type: 'sitemap', path: '/sitemap.xml.gz' },
  { name: 'keywords and headings' },
  { name: 'paragraph of 14 MB' },
  { name: 'titles of 5 MB' },
  { name: 'headings without end' },
  { name: '200,000 links', max_pages: 5 },
  { name: 'tree without end', max_pages: 300 },
]

const quietMs = 5_000

/** Takes some minutes. The attack goes on until the neighbour's sync and the attacked project's own have ended. */
export async function besiege(readPeak: (pid: number) => Promise<number>): Promise<Siege> {
  const sites = start('hostile-sites.ts', [])
  const [addresses] = (await once(sites, 'message')) as [Record<SiteName, string>]
  const lectern = await startLectern({ env: { LECTERN_TRUST_PROXY: '127.0.0.0/8' } })
  const children = [sites]
  try {
    await addProject(lectern, 'neighbour', [{ type: 'site', url: `${addresses.guide}/` }])
    await sync(lectern, 'neighbour')
    await addProject(
      lectern,
      'attacked',
      sources.map(({ name, type = 'site', path = '/', ...rest }) => ({
        type,
        url: addresses[name] + path,
        ...rest,
      })),
    )
    const probe = start('probe.ts', [lectern.baseUrl, 'neighbour'])
    children.push(probe)
    await new Promise((resolve) => setTimeout(resolve, quietMs))
    const before = await readSeen(probe)

    const attacked = sync(lectern, 'attacked')
    const readers = start('hostile-readers.ts', [lectern.baseUrl, lectern.grpc, 'attacked'])
    children.push(readers)
    await once(readers, 'message')
    const neighbour = await sync(lectern, 'neighbour')
    const result = { neighbour, attacked: await attacked }
    return { before, during: await readSeen(probe), ...result, peak: await readPeak(lectern.process.pid!) }
  } finally {
    for (const child of children) if (child.connected) child.disconnect()
    await lectern.remove()
  }
}

function start(file: string, args: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
}

async function readSeen(probe: ChildProcess): Promise<Seen> {
  const answer = once(probe, 'message') as Promise<[Seen]>
  probe.send('read')
  return (await answer)[0]
}

async function addProject(lectern: LecternProcess, slug: string, all: Record<string, unknown>[]) {
  await must(lectern, '/api/v2/projects/', { name: slug, slug })
  for (const source of all) await must(lectern, `/api/v2/projects/${slug}/sources/`, source)
}

async function sync(lectern: LecternProcess, slug: string): Promise<Run> {
  const { uuid } = await must(lectern, `/api/v2/projects/${slug}/sync/`)
  return runEnded(lectern, slug, uuid)
}

async function must(lectern: LecternProcess, path: string, body?: unknown) {
  const answer = await lectern.call('POST', path, body)
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
