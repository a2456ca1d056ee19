// A run that is cancelled leaves the site alone at most 1 s after the 202, measured where the requests arrive.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LecternProcess, runEnded, startLectern } from './lectern-process.ts'
import { type Handler, htmlPage, openSite, type Site } from './site.ts'

const bound = 1_000
const project = '/api/v2/projects/site/'

let lectern: LecternProcess
let site: Site
let source: string
let run: string

/** A run in the middle of pages that the next run will not ask for: requests for `/old…` are all its own. */
beforeEach(async () => {
  lectern = await startLectern()
  const links = ['old', 'new'].flatMap((name) => Array.from({ length: 300 }, (_, at) => `/${name}${at}.html`))
  site = await openSite({ '/': htmlPage('Start', 'All pages.', links) })
  for (const link of links) site.pages.set(link, slowly(htmlPage(link, `Words of ${link}.`)))
  await lectern.call('POST', '/api/v2/projects/', { name: 'site' })
  const given = { type: 'site', url: site.url, exclude: ['/new*.html'] }
  source = (await lectern.call('POST', `${project}sources/`, given)).body.uuid
  run = (await lectern.call('POST', `${project}sync/`)).body.uuid
  await expect.poll(() => oldRequests().length, { timeout: 10_000 }).toBeGreaterThan(20)
})

afterEach(async () => {
  await lectern.remove()
  await site.close()
})

/** Slow enough that a run takes two seconds and more. */
function slowly(html: string): Handler {
  return (_, response) => {
    setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(html), 60)
  }
}

const oldRequests = () => site.requests.filter(({ path }) => path.startsWith('/old'))

test('a new run ends the one before', async () => {
  await lectern.call('PATCH', `${project}sources/${source}/`, { exclude: ['/old*.html'] })
  const { status, body } = await lectern.call('POST', `${project}sync/`)
  const accepted = performance.now()
  expect(status).toBe(202)
  const next = await runEnded(lectern, 'site', body.uuid)
  expect(next).toMatchObject({ status: 'completed', pages: { failed: 0, pending: 0 } })
  const before = await runEnded(lectern, 'site', run)
  expect(before).toMatchObject({ status: 'cancelled', superseded_by: next.uuid })
  const { discovered, added, unchanged, updated, skipped, failed, pending } = before.pages
  expect(discovered).toBe(added! + unchanged! + updated! + skipped! + failed! + pending!)
  expect(pending).toBeGreaterThan(0)
  expect(oldRequests().length).toBeLessThan(300)
  expect(oldRequests().at(-1)!.at - accepted).toBeLessThan(bound)
})
