// A project whose sitemap lists names at a name server that never answers, beside one whose site is well.
import { expect, onTestFinished, test, vi } from 'vitest'
import { htmlPage } from '../e2e/site.ts'
import { openNameServer } from '../loopback/name-server.ts'
import { type Lab, openLab } from './lab.ts'

const other = 'b0a4ff3e-76f2-4f0e-8f6e-0a6f3a5b1c0b'
const soon = { timeout: 20_000 }

let lab: Lab

async function open(hosts: string[]) {
  const silent = Object.fromEntries(hosts.map((host) => [host, null]))
  const server = await openNameServer({ ...silent, 'docs.test': ['127.0.0.1'] })
  onTestFinished(server.close)
  lab = await openLab({ timeoutMs: 10_000, network: { nameServers: [server.address] } })
  const urls = hosts.map((host) => `<url><loc>http://${host}/</loc></url>`)
  lab.site.pages.set('/sitemap.xml', `<urlset>${urls.join('')}</urlset>`)
  await lab.addSource({ type: 'sitemap', url: `${lab.site.url}sitemap.xml` })
  return server
}

const statusOf = async (run: { project: string; uuid: string }) =>
  (await lab.store.runs.get(run.project, run.uuid))!.status

test('the other is synced while lookups of 300 names are under way', { timeout: 60_000 }, async () => {
  const names = Array.from({ length: 300 }, (_, at) => `h${at}.attacker.test`)
  const server = await open(names)
  lab.writePages(['one', 'two', 'three', 'four'])
  const project = (await lab.store.projects.byUuid(lab.project))!
  await lab.store.projects.insert({ ...project, uuid: other, slug: 'other' })
  await lab.addSource({ project: other, url: lab.site.url.replace('127.0.0.1', 'docs.test') })

  const hostile = await lab.begin()
  const asked = () => names.filter((name) => server.asked.has(name))
  await vi.waitFor(() => expect(asked()).toHaveLength(4), soon)
  const run = await lab.begin(other)
  await vi.waitFor(async () => expect(await statusOf(run)).toBe('completed'), soon)
  expect((await lab.store.runs.get(other, run.uuid))!.pages).toMatchObject({ added: 5, failed: 0 })
  expect(await statusOf(hostile)).toBe('running')

  expect((await lab.ended(hostile)).pages).toMatchObject({ failed: 99 })
  expect(asked()).toHaveLength(4)
})

test('a sitemap brings pages of at most 100 hosts, and the log says so', async () => {
  await open([])
  const { port } = new URL(lab.site.url)
  const urls = Array.from({ length: 101 }, (_, at) => `http://127.0.0.1:${port}/p${at}`)
  const hosts = Array.from({ length: 120 }, (_, at) => `http://h${at}.localhost:4/`)
  for (const [at, url] of urls.entries())
    lab.site.pages.set(new URL(url).pathname, htmlPage(`P ${at}`, `Text ${at}.`))
  const locations = [...urls, ...hosts].map((url) => `<url><loc>${url}</loc></url>`)
  lab.site.pages.set('/sitemap.xml', `<urlset>${locations.join('')}</urlset>`)
  const run = await lab.sync()
  // The sitemap's own host is one of them.
  expect(run.pages).toMatchObject({ added: 101, failed: 99 })
  const warnings = (await lab.eventsOf(run, 'source_started')).filter(({ level }) => level === 'warning')
  expect(warnings.map(({ message }) => message)).toEqual([
    'The sitemap names more than 100 hosts; the rest was left out.',
  ])
})
