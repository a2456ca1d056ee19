// A project whose sitemap lists names at a name server that never answers, next to one with a working site.
import { expect, onTestFinished, test } from 'vitest'
import { htmlPage } from '../e2e/site.ts'
import { openNameServer } from '../loopback/name-server.ts'
import { type Lab, openLab } from './lab.ts'

const other = 'b0a4ff3e-76f2-4f0e-8f6e-0a6f3a5b1c0b'

let lab: Lab

async function open(hosts: string[]) {
  const records: Parameters<typeof openNameServer>[0] = { 'docs.test': ['127.0.0.1'] }
  const server = await openNameServer(records, { silent: true })
  onTestFinished(server.close)
  lab = await openLab({ network: { nameServers: [server.address] } })
  const urls = hosts.map((host) => `<url><loc>http://${host}/</loc></url>`)
  lab.site.pages.set('/sitemap.xml', `<urlset>${urls.join('')}</urlset>`)
  await lab.addSource({ type: 'sitemap', url: `${lab.site.url}sitemap.xml` })
  return {
    asked: server.asked,
    /** Answers with a failure from now on. */
    speak() {
      for (const host of hosts) records[host] = 'fails'
    },
  }
}

const statusOf = async (run: { project: string; uuid: string }) =>
  (await lab.store.runs.get(run.project, run.uuid))!.status

test('the other one completes while 300 names wait for lookups', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `h${at}.attacker.test`)
  const server = await open(names)
  lab.writePages(['one', 'two', 'three', 'four'])
  const project = (await lab.store.projects.byUuid(lab.project))!
  await lab.store.projects.insert({ ...project, uuid: other, slug: 'other' })
  await lab.addSource({ project: other, url: lab.site.url.replace('127.0.0.1', 'docs.test') })

  const hostile = await lab.begin()
  const asked = () => names.filter((name) => server.asked.has(name))
  await expect.poll(() => asked()).toHaveLength(4)
  const run = await lab.begin(other)
  await expect.poll(() => statusOf(run)).toBe('completed')
  expect((await lab.store.runs.get(other, run.uuid))!.pages).toMatchObject({ added: 5, failed: 0 })
  expect(await statusOf(hostile)).toBe('running')

  server.speak()
  expect((await lab.ended(hostile)).pages).toMatchObject({ failed: 99 })
  expect(asked()).toHaveLength(4)
})

test('a sitemap adds pages of at most 100 hosts, with a warning in the log', async () => {
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
