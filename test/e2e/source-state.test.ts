// How sources and runs that cannot be read are told over REST, with the remedy.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LecternProcess, runEnded, startLectern } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

let lectern: LecternProcess
let site: Site
const base = '/api/v2/projects/states/'

beforeAll(async () => {
  site = await openSite({ '/': htmlPage('Start', 'A text that is long enough to be a section of its own.') })
  lectern = await startLectern()
  await lectern.call('POST', '/api/v2/projects/', { name: 'States' })
}, 60_000)
afterAll(async () => {
  await lectern?.remove()
  await site?.close()
})

const add = async (source: unknown) => (await lectern.call('POST', `${base}sources/`, source)).body
const read = async (uuid: string) => (await lectern.call('GET', `${base}sources/${uuid}/`)).body
const sync = async () =>
  runEnded(lectern, 'states', (await lectern.call('POST', `${base}sync/`)).body.uuid as string)

test('a sync without sources is refused', async () => {
  expect(await lectern.call('POST', `${base}sync/`)).toMatchObject({
    status: 409,
    body: { code: 'no_sources' },
  })
})

test('a source that cannot be read fails its run, names the remedy, and is counted beside others', async () => {
  const { uuid, state, last_error } = await add({ type: 'site', url: 'http://10.0.0.1/docs/' })
  expect([state, last_error]).toEqual(['pending', null])
  const run = await sync()
  expect(run).toMatchObject({ status: 'failed', sources_failed: 1 })
  const failed = await read(uuid)
  expect(failed).toMatchObject({ state: 'failed', last_error: run.error, page_count: 0 })
  expect(failed.last_error).toContain('LECTERN_CRAWL_ALLOW')

  const good = await add({ type: 'site', url: site.url })
  expect(await sync()).toMatchObject({ status: 'completed', error: null, sources_failed: 1 })
  expect(await read(good.uuid)).toMatchObject({ state: 'ok', last_error: null, page_count: 1 })
  const { body } = await lectern.call('GET', '/api/v2/status/')
  const [project] = body.projects.filter(({ slug }: { slug: string }) => slug === 'states')
  expect(project.failed_sources).toEqual([{ uuid, name: failed.name, last_error: failed.last_error }])
})
