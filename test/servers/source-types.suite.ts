// Sources that are not web pages on MongoDB, Weaviate and Temporal: read, found, and not read again if unchanged.
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LecternProcess, startLectern, syncToEnd } from '../e2e/lectern-process.ts'
import { htmlPage } from '../e2e/site.ts'
import { openGitServer } from '../git/git-server.ts'
import { makeZip } from '../make-zip.ts'
import { type Fields, file, sendForm } from '../uploads/form-client.ts'

let lectern: LecternProcess

beforeAll(async () => {
  const certificate = fileURLToPath(new URL('../loopback/docs-test.pem', import.meta.url))
  lectern = await startLectern({ env: { NODE_EXTRA_CA_CERTS: certificate } })
})
afterAll(() => lectern?.remove())

it('reads a repository over https, searches it, and fetches only changes', async () => {
  const git = await openGitServer()
  const url = git.url.replace('docs.test', 'localhost')
  await git.commit({
    'ferries.md': '# Ferries\n\nThe ferry leaves at noon.\n',
    'trains.md': '# Trains\n\nThe train.\n',
  })
  await lectern.call('POST', '/api/v2/projects/', { name: 'Code', slug: 'code' })
  const source = { type: 'repository', url }
  expect((await lectern.call('POST', '/api/v2/projects/code/sources/', source)).status).toBe(201)
  expect(await syncToEnd(lectern, 'code')).toMatchObject({
    status: 'completed',
    pages: { added: 2, failed: 0 },
  })
  const search = async (q: string) =>
    (await lectern.call('GET', `/api/v2/projects/code/search/?q=${q}`)).body.results
  expect((await search('ferry'))[0]).toMatchObject({
    url: `${url}/blob/main/ferries.md#ferries`,
    source_type: 'repository',
  })
  const { body } = await lectern.call('POST', '/api/v2/projects/code/chats/', {
    message: 'When does the ferry leave?',
  })
  expect(body.ai_message.message).toContain('at noon')

  await git.commit({ 'ferries.md': '# Ferries\n\nThe ferry leaves at dusk.\n', 'trains.md': null })
  expect(await syncToEnd(lectern, 'code')).toMatchObject({ pages: { updated: 1, unchanged: 0, failed: 0 } })
  expect(await search('train')).toEqual([])
  expect(await search('dusk')).toHaveLength(1)
  await git.close()
})

it('reads files and an uploaded site from MongoDB, searches them, and accepts a new archive', async () => {
  await lectern.call('POST', '/api/v2/projects/', { name: 'Uploads', slug: 'uploads' })
  const base = 'https://docs.example/guide/'
  const send = (about: string, ...files: File[]) => {
    const zip = makeZip([
      { name: 'index.html', body: htmlPage('Guide', about, ['notes.md']) },
      { name: 'notes.md', body: '# Notes\n\nWombats sleep.' },
    ])
    return sendForm(lectern.baseUrl, '/api/v2/projects/uploads/sources/', [
      ...files.map((each): Fields[number] => ['files[]', each]),
      ...([['base_url', base]] as Fields),
      ['site_zip', file('site.zip', zip)],
    ])
  }
  const sent = await send('All about numbats.', file('prices.csv', 'Name;Price\nBolt;0,30\n'))
  expect([sent.status, sent.body.results.length]).toEqual([201, 2])
  expect(await syncToEnd(lectern, 'uploads')).toMatchObject({
    status: 'completed',
    pages: { added: 3, failed: 0 },
  })
  const urlOf = async (q: string) => {
    const path = `/api/v2/projects/uploads/search/?content_scope=all&q=${q}`
    return (await lectern.call('GET', path)).body.results[0]?.url.replace(/#.*/, '')
  }
  expect(await urlOf('wombats')).toBe(`${base}notes.md`)
  expect(await urlOf('bolt')).toMatch(/\/prices\.csv$/)

  expect((await send('All about quokkas.')).status).toBe(201)
  expect(await syncToEnd(lectern, 'uploads')).toMatchObject({
    pages: { updated: 1, unchanged: 2, failed: 0 },
  })
  expect(await urlOf('quokkas')).toBe(base)
})
