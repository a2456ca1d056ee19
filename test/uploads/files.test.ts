// Uploaded files over REST, through a gateway in the core's process and through a separate one.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LecternProcess, startLectern, syncToEnd } from '../e2e/lectern-process.ts'
import { beginForm, type Fields, file, partOf, sendForm } from './form-client.ts'

const env = { LECTERN_SECRET: Buffer.alloc(32, 7).toString('base64') }
const path = '/api/v2/projects/docs/sources/'
const pathV1 = '/api/v1/projects/docs/sources/'
const mebibyte = 1024 * 1024

let lectern: LecternProcess
let gateway: LecternProcess
beforeAll(async () => {
  lectern = await startLectern({ env })
  const role = { LECTERN_ROLE: 'gateway', LECTERN_CORE_URL: `http://${lectern.grpc}` }
  gateway = await startLectern({ env: { ...env, ...role } })
  await lectern.call('POST', '/api/v2/projects/', { name: 'Docs' })
})
afterAll(async () => {
  await gateway?.remove()
  await lectern?.remove()
})

/** Blobs in the store, complete or partial. */
async function blobs(): Promise<string[]> {
  const folder = join(lectern.data, 'blobs')
  return existsSync(folder) ? readdir(folder) : []
}

const list = async () => (await lectern.call('GET', path)).body.results as { uuid: string }[]

async function removeAll() {
  for (const { uuid } of await list()) await lectern.call('DELETE', `${path}${uuid}/`)
}

describe.each([
  ['in the core’s process', () => lectern.baseUrl],
  ['in another process', () => gateway.baseUrl],
])('a gateway %s', (_, baseUrl) => {
  const send = (fields: Fields, key?: string | null) => sendForm(baseUrl(), path, fields, key)

  test('stores files, which the next sync reads once, and deletes them with their sources', async () => {
    const { status, body } = await send([
      ['files[]', file('Übersicht.md', '# Overview\n\nThe capybara is the largest rodent.\n')],
      ['files[]', file('notes.txt', 'Wombats make cubes.\n')],
    ])
    expect([status, Object.keys(body)]).toEqual([201, ['results']])
    expect(body.results).toMatchObject([
      { type: 'file', name: 'Übersicht.md', file_name: 'Übersicht.md', url: null, page_count: 0 },
      { type: 'file', name: 'notes.txt' },
    ])
    expect(await blobs()).toHaveLength(2)
    expect(await syncToEnd(lectern, 'docs')).toMatchObject({ status: 'completed', pages: { added: 2 } })
    const search = '/api/v2/projects/docs/search/?q=capybara&content_scope='
    expect((await lectern.call('GET', `${search}all`)).body.results).toMatchObject([
      { page_title: 'Overview', source_type: 'file' },
    ])
    expect((await lectern.call('GET', `${search}site`)).body.results).toEqual([])
    expect(await syncToEnd(lectern, 'docs')).toMatchObject({ status: 'completed', pages: { unchanged: 2 } })
    await removeAll()
    expect(await blobs()).toEqual([])
    expect((await lectern.call('GET', `${search}all`)).body.results).toEqual([])
  })

  test.each<[string, () => Fields, number, object]>([
    [
      'is too large',
      () => [
        ['files[]', file('a.md', '# A')],
        ['files[]', file('b.txt', 'x'.repeat(10 * mebibyte + 1))],
      ],
      413,
      { code: 'too_large', fields: { 'files[1]': ['must not be larger than 10 MB'] } },
    ],
    [
      'is one of too many',
      () => Array.from({ length: 21 }, (_, at) => ['files[]', file(`${at}.txt`, 'x')] as [string, File]),
      400,
      { code: 'invalid', fields: { files: ['must not be more than 20'] } },
    ],
    ['is of no kind that is read', () => [['files[]', file('a.exe', 'MZ')]], 400, { code: 'invalid' }],
    [
      'has content of another type',
      () => [['files[]', file('a.txt', Buffer.alloc(100))]],
      400,
      { fields: { 'files[0]': [expect.any(String)] } },
    ],
    ['is a text', () => [['files[]', 'x']], 400, { fields: { 'files[]': ['must be a file'] } }],
    [
      'goes by another name',
      () => [['upload', file('a.txt', 'x')]],
      400,
      { fields: { upload: ['unknown field'] } },
    ],
    ['is missing', () => [['files[]', file('', '')]], 400, { code: 'invalid' }],
    [
      'comes with an address',
      () => [
        ['files[]', file('a.txt', 'x')],
        ['base_url', 'https://d.example/'],
      ],
      400,
      { fields: { base_url: [expect.any(String)] } },
    ],
  ])('rejects all files if one %s, and keeps nothing', async (_, fields, status, body) => {
    expect(await send(fields())).toMatchObject({ status, body })
    expect(await list()).toEqual([])
    expect(await blobs()).toEqual([])
  })

  test('checks the key before it reads the body', async () => {
    const socket = await beginForm(baseUrl(), path, { length: 200 * mebibyte, key: null })
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /)
    socket.destroy()
  })

  test('keeps nothing of an interrupted upload', async () => {
    const begin = partOf('files[]', 'a.txt') + 'x'.repeat(mebibyte)
    const socket = await beginForm(baseUrl(), path, { length: 5 * mebibyte, begin })
    await expect.poll(blobs).toHaveLength(1)
    socket.destroy()
    await expect.poll(blobs).toEqual([])
    expect(await list()).toEqual([])
  })

  test('limits concurrent uploads of a team', async () => {
    const begin = partOf('files[]', 'a.txt') + 'x'.repeat(1000)
    const open = await Promise.all(
      Array.from({ length: 4 }, () => beginForm(baseUrl(), path, { length: mebibyte, begin })),
    )
    await expect.poll(blobs).toHaveLength(4)
    expect(await send([['files[]', file('a.txt', 'x')]])).toMatchObject({ status: 429 })
    for (const socket of open) socket.destroy()
    await expect.poll(blobs).toEqual([])
  })

  test('accepts files and addresses in one request of REST v1, all or none', async () => {
    const beside: Fields = [
      ['urls[]', 'https://d.example/a'],
      ['files[]', file('a.txt', 'x')],
      ['sitemaps[]', 'https://d.example/sitemap.xml'],
      ['nonsense', 'x'],
    ]
    const refused = await sendForm(baseUrl(), pathV1, [...beside, ['files[]', file('b.exe', 'x')]])
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^files\[1\]/) } })
    expect([await list(), await blobs()]).toEqual([[], []])
    const { status, body } = await sendForm(baseUrl(), pathV1, beside)
    expect([status, body]).toEqual([
      200,
      {
        message: expect.any(String),
        sources: [
          { uuid: expect.any(String), name: 'https://d.example/a', type: 'url' },
          { uuid: expect.any(String), name: 'https://d.example/sitemap.xml', type: 'sitemap' },
          { uuid: expect.any(String), name: 'a.txt', type: 'file' },
        ],
      },
    ])
    await removeAll()
  })
})
