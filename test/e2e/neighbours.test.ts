// Attacks one project through its sites and its readers. Meanwhile another project's readers are answered and its
// sync completes.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type LecternProcess, runEnded, startLectern } from './lectern-process.ts'
import type { SiteName } from './neighbours/hostile-sites.ts'

const sources: { name: SiteName; type?: string; path?: string; max_pages?: number }[] = [
  { name: 'robots with 10⁸ rules' },
  { name: 'robots with __proto__' },
  { name: 'sitemap of 6,000,000 levels', type: 'sitemap', path: '/sitemap.xml.gz' },
  { name: 'keywords and headings' },
  { name: 'paragraph of 14 MB' },
  { name: 'titles of 5 MB' },
  { name: 'headings without end' },
  { name: '200,000 links', max_pages: 5 },
  { name: 'tree without end', max_pages: 100 },
]
const queries = ['i', 'in', 'inst', 'install', 'install w', 'install widget', 'how do I install the widget']

test('searches and a sync complete while another project is under attack', async () => {
  const sites = start('hostile-sites.ts', [])
  const children = [sites]
  const [addresses] = (await once(sites, 'message')) as [Record<SiteName, string>]
  const lectern = await startLectern({ env: { LECTERN_TRUST_PROXY: '127.0.0.0/8' } })
  try {
    await addProject(lectern, 'neighbour', [{ type: 'site', url: `${addresses.guide}/` }])
    await sync(lectern, 'neighbour')
    const hostile = sources.map(({ name, type = 'site', path = '/', ...rest }) => ({
      type,
      url: addresses[name] + path,
      ...rest,
    }))
    await addProject(lectern, 'attacked', hostile)
    const attacked = sync(lectern, 'attacked')
    const readers = start('hostile-readers.ts', [lectern.baseUrl, lectern.grpc, 'attacked'])
    children.push(readers)
    await once(readers, 'message')

    let isOver = false
    const ended = Promise.all([sync(lectern, 'neighbour'), attacked]).finally(() => {
      isOver = true
    })
    const searches: { status: number; found: boolean }[] = []
    while (!isOver) searches.push(await search(lectern, queries[searches.length % queries.length]!))
    const [neighbour, { status }] = await ended
    const answered = searches.filter((each) => each.status === 200 && each.found)
    expect(answered.length).toBeGreaterThan(10)
    expect(neighbour).toMatchObject({
      status: 'completed',
      pages: { unchanged: 61, failed: 0, pending: 0 },
    })
    expect(status).toBe('completed')
  } finally {
    for (const child of children) if (child.connected) child.disconnect()
    await lectern.remove()
  }
}, 600_000)

/** As one of 250 readers. */
async function search(lectern: LecternProcess, query: string) {
  const path = `/api/v2/projects/neighbour/search/?q=${encodeURIComponent(query)}`
  const address = `192.0.2.${1 + (Math.floor(performance.now() / 1_000) % 250)}`
  const answer = await fetch(lectern.baseUrl + path, { headers: { 'x-forwarded-for': address } })
  const { results } = (await answer.json()) as { results?: unknown[] }
  return { status: answer.status, found: (results?.length ?? 0) > 0 }
}

function start(file: string, args: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(`neighbours/${file}`, import.meta.url)), args, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
}

async function addProject(lectern: LecternProcess, slug: string, all: Record<string, unknown>[]) {
  await must(lectern, '/api/v2/projects/', { name: slug, slug })
  for (const source of all) await must(lectern, `/api/v2/projects/${slug}/sources/`, source)
}

async function sync(lectern: LecternProcess, slug: string) {
  const { uuid } = await must(lectern, `/api/v2/projects/${slug}/sync/`)
  return runEnded(lectern, slug, uuid)
}

async function must(lectern: LecternProcess, path: string, body?: unknown) {
  const answer = await lectern.call('POST', path, body)
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
