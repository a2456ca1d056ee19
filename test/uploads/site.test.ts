// Uploaded sites, over REST and from the command line.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Code, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { SourceService } from '../../gen/lectern/v1/source_pb.js'
import { adminKey, type LecternProcess, startLectern, syncToEnd } from '../e2e/lectern-process.ts'
import { htmlPage } from '../e2e/site.ts'
import { createFolder } from '../folder.ts'
import { type MadeEntry, makeZip } from '../make-zip.ts'
import { type Fields, file, sendForm } from './form-client.ts'

const path = '/api/v2/projects/docs/sources/'
const base = 'https://docs.example/guide/'

let lectern: LecternProcess
beforeAll(async () => {
  lectern = await startLectern()
  await lectern.call('POST', '/api/v2/projects/', { name: 'Docs' })
})
afterAll(() => lectern?.remove())
afterEach(async () => {
  for (const { uuid } of await list()) await lectern.call('DELETE', `${path}${uuid}/`)
})

const list = async () => (await lectern.call('GET', path)).body.results as { uuid: string }[]

async function blobs(): Promise<string[]> {
  const folder = join(lectern.data, 'blobs')
  return existsSync(folder) ? readdir(folder) : []
}

const send = (zip: Uint8Array, fields: Fields = [['base_url', base]], at = path) =>
  sendForm(lectern.baseUrl, at, [['site_zip', file('site.zip', zip)], ...fields])

const sync = () => syncToEnd(lectern, 'docs')

const urlsOf = async (q: string) => {
  const { body } = await lectern.call('GET', `/api/v2/projects/docs/search/?q=${q}`)
  return body.results.map(({ url }: { url: string }) => url.replace(/#.*/, '')) as string[]
}

const pages: MadeEntry[] = [
  { name: 'site/index.html', body: htmlPage('Guide', 'A guide to capybaras.') },
  { name: 'site/install/index.html', body: htmlPage('Installing', 'Where wombats are installed.') },
  { name: 'site/Über uns.html', body: htmlPage('About', 'All about numbats.'), method: 0 },
  { name: 'site/C++ & C#.html', body: htmlPage('C++', 'Where bilbies compile.') },
  { name: 'site/style.css', body: 'body {}' },
  { name: '__MACOSX/site/._index.html', body: 'x' },
]

test('reads a site at its address, once, and a new archive replaces the old one', async () => {
  const { status, body } = await send(makeZip(pages), [
    ['base_url', 'https://docs.example/guide'],
    ['site_name', 'The guide'],
  ])
  expect([status, body]).toMatchObject([201, { type: 'hosted_site', name: 'The guide', url: base }])
  expect(await sync()).toMatchObject({ status: 'completed', pages: { added: 4, failed: 0 } })
  expect(await urlsOf('capybaras')).toEqual([base])
  expect(await urlsOf('wombats')).toEqual([`${base}install/`])
  expect(await urlsOf('numbats')).toEqual([`${base}%C3%9Cber%20uns.html`])
  expect(await urlsOf('bilbies')).toEqual([`${base}C++%20&%20C%23.html`])
  expect(await sync()).toMatchObject({ pages: { unchanged: 4 } })

  const changed = [
    { name: 'index.html', body: htmlPage('Guide', 'A guide to quokkas.') },
    { name: 'install/index.html', body: htmlPage('Installing', 'Where wombats are installed.') },
    { name: 'Über uns.html', body: htmlPage('About', 'All about numbats.') },
    { name: 'C++ & C#.html', body: htmlPage('C++', 'Where bilbies compile.') },
  ]
  const again = await send(makeZip(changed))
  expect([again.status, again.body]).toMatchObject([
    201,
    { uuid: body.uuid, name: 'The guide', page_count: 4 },
  ])
  expect(await blobs()).toHaveLength(1)
  expect(await sync()).toMatchObject({ pages: { updated: 1, unchanged: 3 } })
  expect(await urlsOf('quokkas')).toEqual([base])
})

test('excludes what a crawl would exclude, and reads linked files', async () => {
  const linked = [
    '/guide/install',
    'about/index.html',
    'notes.md?raw',
    'LICENSE.txt',
    'gone.html',
    '../other/',
  ]
  const head = (title: string, tags: string) =>
    htmlPage(title, `The text of ${title}.`).replace('</head>', `${tags}</head>`)
  const site: MadeEntry[] = [
    { name: 'build/html/index.html', body: htmlPage('Guide', 'The text of the guide.', linked) },
    { name: 'build/html/install.html', body: htmlPage('Install', 'The text of installing.') },
    { name: 'build/html/about/index.html', body: htmlPage('About', 'The text about us.') },
    { name: 'build/html/old.html', body: head('Old', `<link rel="canonical" href="${base}install.html">`) },
    { name: 'build/html/far.html', body: head('Far', '<link rel="canonical" href="https://far.example/">') },
    { name: 'build/html/draft.html', body: head('Draft', '<meta name="robots" content="noindex">') },
    { name: 'build/html/notes.md', body: '# Notes\n\nThe text of notes.' },
    { name: 'build/html/LICENSE.txt', body: 'The text of the license.' },
    { name: 'build/html/_sources/install.rst.txt', body: 'The text of installing.' },
    { name: 'build/html/_static/fonts.html', body: htmlPage('Fonts', 'The text of fonts.') },
    { name: 'build/html/404.html', body: htmlPage('Missing', 'The text of what is missing.') },
  ]
  const { body } = await send(makeZip(site))
  expect(await sync()).toMatchObject({ status: 'completed', pages: { added: 6, failed: 0 } })
  const paths = async () => (await urlsOf('text')).map((url) => url.slice(base.length)).sort()
  expect(await paths()).toEqual(['', 'LICENSE.txt', 'about/', 'far.html', 'install.html', 'notes.md'])
  expect(await sync()).toMatchObject({ pages: { unchanged: 6, removed: 0 } })

  const change = await lectern.call('PATCH', `${path}${body.uuid}/`, { exclude: ['**/about/**', '**/*.md'] })
  expect(change.status).toBe(200)
  expect(await sync()).toMatchObject({ pages: { removed: 2 } })
  expect(await paths()).toEqual(['', 'LICENSE.txt', 'far.html', 'install.html'])

  await lectern.call('PATCH', `${path}${body.uuid}/`, { max_pages: 2 })
  expect(await sync()).toMatchObject({ pages: { removed: 2 } })
  expect(await paths()).toEqual(['', 'install.html'])
})

const html = htmlPage('A', 'Text.')
const one = { name: 'a.html', body: html }
test.each<[string, () => Uint8Array, RegExp]>([
  ['is no archive', () => Buffer.from('<html>'), /is no ZIP archive/],
  ['has no page', () => makeZip([{ name: 'a.css', body: 'x' }]), /holds no HTML page/],
  [
    'declares too large a size',
    () =>
      makeZip([
        one,
        ...Array.from({ length: 11 }, (_, at) => ({ name: `${at}.bin`, body: 'x', size: 240 * 1024 * 1024 })),
      ]),
    /unpacks to more/,
  ],
])('rejects an archive that %s with a sentence, and keeps nothing', async (_, zip, sentence) => {
  const { status, body } = await send(zip())
  expect([status, body.fields.site_zip[0]]).toEqual([400, expect.stringMatching(sentence)])
  expect(body.error).toMatch(/^site_zip .*[^.]\.$/)
  expect([await list(), await blobs()]).toEqual([[], []])
})

test('fails only the page that unpacks to more than its stated size', async () => {
  const bomb = { name: 'bomb.html', body: Buffer.alloc(50 * 1024 * 1024, 'a'), size: 1000, crc: 1 }
  expect((await send(makeZip([one, bomb]))).status).toBe(201)
  expect(await sync()).toMatchObject({ status: 'completed', pages: { added: 1, failed: 1 } })
})

test('accepts an archive larger than the gateway’s buffer', async () => {
  const film = Buffer.alloc(60 * 1024 * 1024, 'film')
  const films = [1, 2].map((at) => ({ name: `${at}.bin`, body: film, method: 0 }))
  expect((await send(makeZip([one, ...films]))).status).toBe(201)
  expect(await sync()).toMatchObject({ status: 'completed', pages: { added: 1 } })
})

test.each<[string, Fields]>([
  ['is missing', []],
  ['is no address', [['base_url', 'docs.example']]],
  ['has a query', [['base_url', 'https://docs.example/?a=b']]],
])('rejects a site whose base_url %s', async (_, fields) => {
  const { status, body } = await send(makeZip([one]), fields)
  expect([status, Object.keys(body.fields)]).toEqual([400, ['base_url']])
  expect(await blobs()).toEqual([])
})

test('accepts a site with files and addresses over REST v1, all or none', async () => {
  const beside: Fields = [
    ['base_url', base],
    ['files[]', file('a.txt', 'x')],
    ['urls[]', 'https://d.example/a'],
  ]
  const at = '/api/v1/projects/docs/sources/'
  expect((await send(Buffer.from('none'), beside, at)).status).toBe(400)
  expect([await list(), await blobs()]).toEqual([[], []])
  const { status, body } = await send(makeZip([one]), beside, at)
  const types = body.sources.map(({ type }: { type: string }) => type)
  expect([status, types]).toEqual([200, ['url', 'file', 'hosted_site']])
})

test('keeps nothing of an interrupted gRPC upload', async () => {
  const transport = createGrpcTransport({ baseUrl: `http://${lectern.grpc}` })
  const sources = createClient(SourceService, transport)
  async function* broken() {
    yield { slug: 'docs', part: { case: 'file' as const, value: { name: 'a.txt' } } }
    yield { part: { case: 'data' as const, value: Buffer.from('The beginning.') } }
    await expect.poll(blobs).toHaveLength(1)
    throw new Error('the disk is gone')
  }
  const headers = { authorization: `Api-Key ${adminKey}` }
  await expect(sources.uploadSources(broken(), { headers })).rejects.toThrow()
  await expect.poll(blobs).toEqual([])
  expect(await list()).toEqual([])
  async function* unfinished() {
    yield { slug: 'docs', part: { case: 'file' as const, value: { name: 'a.txt' } } }
    yield { part: { case: 'data' as const, value: Buffer.from('The beginning.') } }
  }
  const refused = await sources.uploadSources(unfinished(), { headers }).catch((error) => error)
  expect(refused).toMatchObject({
    code: Code.InvalidArgument,
    rawMessage: expect.stringContaining('finish_write'),
  })
  expect([await list(), await blobs()]).toEqual([[], []])
})

test('uploads files and sites from the command line', async () => {
  const folder = createFolder()
  const [text, zip] = [join(folder, 'notes.txt'), join(folder, 'site.zip')]
  await writeFile(text, 'Some notes.')
  await writeFile(zip, makeZip(pages))
  const run = (...words: string[]) =>
    promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'cli/main.ts', 'sources', 'add', 'docs', ...words],
      { env: { PATH: process.env.PATH, LECTERN_GRPC: lectern.grpc, LECTERN_API_KEY: adminKey } },
    )
  expect((await run('--type', 'file', text)).stdout).toMatch(/^Added source .*: notes\.txt/)
  expect((await run(zip, '--type', 'hosted_site', '--base-url', base)).stdout).toMatch(/^Added source /)
  const site = ['--type', 'hosted_site', zip, '--base-url', base]
  const { stdout } = await run(...site, '--max-pages', '5', '--exclude', '**/install/**', '--json')
  expect(JSON.parse(stdout).results[0]).toMatchObject({ max_pages: 5, exclude: ['**/install/**'] })
  await expect(run(...site, '--branch', 'main')).rejects.toMatchObject({
    stderr: expect.stringContaining('--branch is not for sources of type hosted_site'),
  })
  await expect(run('--type', 'file', join(folder, 'none.txt'))).rejects.toMatchObject({
    stderr: expect.stringContaining('none.txt does not exist'),
  })
  expect(await list()).toHaveLength(2)
  await expect.poll(blobs).toHaveLength(2)
})
