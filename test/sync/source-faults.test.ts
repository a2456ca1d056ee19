// A source that cannot be read fails alone.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sourceTable } from '../../sources/source-table.ts'
import { type SourceType, UnreadableSource } from '../../sources/source-type.ts'
import { htmlPage } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
const urlType = sourceTable.url!
beforeEach(async () => {
  lab = await openLab()
})
afterEach(async () => {
  await lab.close()
  sourceTable.url = urlType
})

/** Another reader in the place of a type's own; the parse threads know the type by its own parser. */
function read(open: SourceType['open']) {
  sourceTable.url = { open, parser: urlType.parser }
}

test('a source whose list cannot be read says why; its pages stay, and others are read and cleared', async () => {
  const site = await lab.addSource({ createdAt: '2026-01-01T00:00:00.000Z' })
  await lab.addSource({ type: 'url', url: `${lab.site.url}list` })
  lab.writePages(['a.html', 'b.html'])
  lab.site.pages.set('/listed', htmlPage('Listed', 'Text that a list names.'))
  lab.site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /listed')
  read((_, { fetcher }) => ({
    async *list() {
      yield { documents: [{ url: `${lab.site.url}listed` }] }
    },
    async fetch(url) {
      const answer = await fetcher.call(url)
      const body = answer.kind === 'answer' ? answer.body : Buffer.from('')
      return {
        kind: 'document',
        body,
        contentType: 'text/html',
        title: 'Named',
        etag: 'one',
        lastModified: null,
      }
    },
  }))
  expect((await lab.sync()).status).toBe('completed')
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/b.html', '/listed'])
  const pages = await lab.store.pages.byUrls(lab.project, [`${lab.site.url}listed`])
  expect(pages[0]).toMatchObject({ title: 'Named', etag: 'one' })

  read(() => ({
    list: () => {
      throw new UnreadableSource('The service does not answer.')
    },
    fetch: () => Promise.reject(new Error('never asked')),
  }))
  lab.site.pages.delete('/b.html')
  lab.writePages(['a.html'])
  const second = await lab.sync()
  expect(second.status).toBe('completed')
  expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/listed'])
  const ends = await lab.eventsOf(second, 'source_finished')
  expect(ends.map(({ level, message }) => [level, message])).toEqual([
    ['info', 'The source has been read.'],
    ['error', 'The service does not answer.'],
  ])
  expect(ends[0]!.sourceUuid).toBe(site.uuid)
  const errors = async () => (await lab.store.sources.all(lab.project)).map(({ lastError }) => lastError)
  expect(await errors()).toEqual([null, 'The service does not answer.'])

  sourceTable.url = urlType
  lab.site.pages.delete('/robots.txt')
  await lab.sync()
  expect(await errors()).toEqual([null, null])
})
