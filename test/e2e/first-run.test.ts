// `npm start -- <address>` creates a project for a site, takes its name from the site, and finds it again at the next start.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LecternProcess, startLectern } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

let site: Site
let lectern: LecternProcess | null = null

beforeEach(async () => {
  site = await openSite()
})

afterEach(async () => {
  await lectern?.remove()
  lectern = null
  await site.close()
})

const host = () => new URL(site.url).host
const slug = () => host().replaceAll(/[.:]/g, '-')
const project = async () => (await lectern!.call('GET', `/api/v2/projects/${slug()}/`)).body
const name = async () => (await project())?.name

test('names the project of an address after its start page, keeps it at the next start, and shows it first', async () => {
  site.pages.set('/', htmlPage('Tide Tables', 'When to sail.'))
  lectern = await startLectern({ address: site.url })
  await expect.poll(name).toBe('Tide Tables')
  const { body } = await lectern.call('GET', `/api/v2/projects/${slug()}/syncs/`)
  expect(body.results.map(({ trigger }: { trigger: string }) => trigger)).toEqual(['cli'])
  await lectern.call('PATCH', `/api/v2/projects/${slug()}/`, { name: 'Ours' })
  await lectern.kill('SIGTERM')

  site.requests.length = 0
  lectern = await startLectern({ address: site.url, data: lectern.data })
  await expect.poll(() => site.requests.map(({ path }) => path)).toContain('/')
  expect(await name()).toBe('Ours')
  await lectern.call('POST', '/api/v2/projects/', { name: 'A private one', slug: '0', is_private: true })
  await lectern.kill('SIGTERM')

  // Without an address, the first public project comes first.
  lectern = await startLectern({ data: lectern.data })
  const demo = () => lectern!.output.find((line) => line.startsWith('  Demo'))
  await expect.poll(demo).toBe(`  Demo     ${lectern.baseUrl}/demo/${slug()}/`)
})

test('reports a site that cannot be read, with the reason and a remedy', async () => {
  lectern = await startLectern({ address: 'http://127.0.0.1:8080/docs/', env: { LECTERN_CRAWL_ALLOW: '' } })
  await expect
    .poll(() => lectern!.output)
    .toContain(
      '1 source could not be read: http://127.0.0.1:8080/docs/ could not be read. 127.0.0.1 is not a public address. To let Lectern crawl it, set LECTERN_CRAWL_ALLOW=127.0.0.1.',
    )
})
