// After an upgrade that extracts or analyzes pages differently, the next run indexes the pages again.
import { beforeEach, expect, test } from 'vitest'
import type { PageContent } from '../../services/store/page.ts'
import { pipeline } from '../../workflows/parse/parse-page.ts'
import { htmlPage } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
beforeEach(async () => {
  lab = await openLab()
  await lab.addSource()
})

const [extractor] = pipeline.split('.')

/** Stores the page as another version of Lectern left it. */
async function publishOld(old: string, change: (content: PageContent) => PageContent = (same) => same) {
  const [page] = await lab.store.pages.byUrls(lab.project, [lab.site.url])
  const content = change((await lab.store.pages.content(page!.uuid))!)
  const row = { ...page!, version: page!.version + 1, pipeline: old }
  const results = await lab.store.pages.publish(lab.project, null, [{ page: row, content }])
  expect(results).toEqual(['published'])
}

/** A page that answers 304 to a conditional request. */
function serveWithEtag(title: string) {
  lab.site.pages.set('/', (request, response) => {
    if (request.headers['if-none-match'] === '"one"') return void response.writeHead(304).end()
    response.writeHead(200, { 'content-type': 'text/html', etag: '"one"' })
    response.end(htmlPage(title, 'Where to begin.'))
  })
}

async function expectCurrent() {
  const [page] = await lab.store.pages.byUrls(lab.project, [lab.site.url])
  expect(page!.pipeline).toBe(pipeline)
  const versions: unknown[] = []
  for await (const version of lab.index.versions(lab.project)) versions.push(version)
  const { uuid, version } = page!
  expect(versions).toContainEqual(expect.objectContaining({ page: uuid, version }))
}

test('reads a page of an older extractor again, even if the server would answer 304', async () => {
  serveWithEtag('Start')
  await lab.sync()
  await publishOld('x0.a0', (content) => ({ ...content, title: 'As it was extracted before' }))
  expect((await lab.sync()).pages).toMatchObject({ updated: 1, unchanged: 0 })
  await expectCurrent()
  const [page] = await lab.store.pages.byUrls(lab.project, [lab.site.url])
  expect((await lab.store.pages.content(page!.uuid))!.title).toBe('Start')
  expect((await lab.sync()).pages).toMatchObject({ updated: 0, unchanged: 1 })
})

test('analyzes the stored text of a page of an older analyzer again if the server answers 304', async () => {
  serveWithEtag('Start')
  await lab.sync()
  await publishOld(`${extractor}.a0`)
  expect((await lab.sync()).pages).toMatchObject({ updated: 1, unchanged: 0 })
  await expectCurrent()
  expect(lab.site.requests.at(-1)!.headers['if-none-match']).toBe('"one"')
})

test('indexes a page of an older pipeline again, even if its text is the same', async () => {
  lab.site.pages.set('/', htmlPage('Start', 'Where to begin.'))
  await lab.sync()
  await publishOld(`${extractor}.a0`)
  expect((await lab.sync()).pages).toMatchObject({ updated: 1, unchanged: 0 })
  await expectCurrent()
})
