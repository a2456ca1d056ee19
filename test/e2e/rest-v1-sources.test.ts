// Sources and syncs over REST v1.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRealCore, type RealCore, slugs } from '../protocol/real-core.ts'
import { adminKey } from './lectern-process.ts'
import { askV1 } from './v1-client.ts'

let core: RealCore
beforeAll(async () => {
  core = await openRealCore()
})
afterAll(() => core.close())

const path = `/projects/${slugs.closed}/sources/`
const ask = (method: string, path: string, body?: unknown) =>
  askV1(core.lectern.baseUrl, method, path, { body, key: adminKey })

function form(fields: [string, string | Blob][]): FormData {
  const made = new FormData()
  for (const [name, value] of fields) made.append(name, value)
  return made
}

const byName = <Named extends { name: string }>(sources: Named[]) =>
  sources.toSorted((one, other) => one.name.localeCompare(other.name))

const list = async () => (await ask('GET', path)).body as { uuid: string; name: string; type: string }[]

describe('sources', () => {
  it('are added several per request, listed as a bare array, and deleted', async () => {
    const body = form([
      ['urls[]', 'https://d.example/a'],
      ['urls[]', ' https://d.example/b '],
      ['urls[]', 'https://d.example/a'],
      ['urls[]', ''],
      ['sitemaps[]', 'https://d.example/sitemap.xml'],
      ['nonsense', 'x'],
    ])
    const added = await ask('POST', path, body)
    const sources = [
      { uuid: expect.any(String), name: 'https://d.example/a', type: 'url' },
      { uuid: expect.any(String), name: 'https://d.example/b', type: 'url' },
      { uuid: expect.any(String), name: 'https://d.example/sitemap.xml', type: 'sitemap' },
    ]
    expect([added.status, added.body]).toEqual([200, { message: expect.stringMatching(/\.$/), sources }])
    expect(byName(await list())).toEqual(added.body.sources)

    for (const { uuid } of added.body.sources) {
      const deleted = await ask('DELETE', `${path}${uuid}/`)
      expect([deleted.status, deleted.body]).toEqual([200, { message: expect.stringMatching(/\.$/) }])
      expect((await ask('DELETE', `${path}${uuid}/`)).status).toBe(404)
    }
    expect(await list()).toEqual([])
  })

  it('are added by a URL-encoded form', async () => {
    const body = new URLSearchParams([
      ['urls[]', 'https://d.example/a?b=c&d'],
      ['sitemaps[]', 'https://d.example/sitemap.xml'],
    ])
    const added = await ask('POST', path, body)
    expect([added.status, added.body.sources]).toMatchObject([
      200,
      [{ name: 'https://d.example/a?b=c&d' }, { name: 'https://d.example/sitemap.xml' }],
    ])
    for (const { uuid } of added.body.sources) await ask('DELETE', `${path}${uuid}/`)
    const text = new URLSearchParams([['files[]', 'x']])
    expect(await ask('POST', path, text)).toMatchObject({ status: 400 })
  })

  it('are all listed, without paging', async () => {
    const { lectern } = core
    expect((await lectern.call('POST', '/api/v2/projects/', { name: 'Many', slug: 'many' })).status).toBe(201)
    for (const at of [0, 1]) {
      const fields = Array.from({ length: 70 }, (_, each) => ['urls[]', `https://d.example/${at}/${each}`])
      const added = await ask('POST', '/projects/many/sources/', form(fields as [string, string][]))
      expect(added.status).toBe(200)
    }
    expect((await ask('GET', '/projects/many/sources/')).body).toHaveLength(140)
    await lectern.call('DELETE', '/api/v2/projects/many/')
  })

  it.each<[string, [string, string][], number, RegExp]>([
    [
      'an invalid address',
      [
        ['urls[]', 'https://d.example/a'],
        ['urls[]', 'ftp://d.example/'],
      ],
      400,
      /^urls\[1\] must be/,
    ],
    [
      'an address with a password',
      [['urls[]', 'https://u:p@d.example/a']],
      400,
      /^urls\[0\]: must not carry/,
    ],
    [
      'an invalid sitemap',
      [
        ['urls[]', 'https://d.example/a'],
        ['sitemaps[]', 'https://d.example/a'],
      ],
      400,
      /^sitemaps\[0\] must end in/,
    ],
    [
      'an existing source',
      [
        ['urls[]', 'https://d.example/a'],
        ['urls[]', 'https://d.example/there'],
      ],
      409,
      /already/,
    ],
    ['a form without addresses', [['nonsense', 'x']], 400, /^urls or sitemaps must name at least one/],
    [
      'too many addresses',
      Array.from({ length: 101 }, (_, at) => ['urls[]', `https://d.example/${at}`]),
      400,
      /^urls/,
    ],
  ])('are all rejected for %s', async (_, fields, status, sentence) => {
    await ask('POST', path, form([['urls[]', 'https://d.example/there']]))
    const before = await list()
    const answer = await ask('POST', path, form(fields))
    expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['error']])
    expect(answer.body.error).toMatch(sentence)
    expect(await list()).toEqual(before)
  })

  it('are accepted only as a form', async () => {
    expect((await ask('POST', path, { urls: ['https://d.example/a'] })).status).toBe(415)
    const answer = await askV1(core.lectern.baseUrl, 'POST', path, {
      body: 'x',
      key: adminKey,
      headers: { 'content-type': 'multipart/form-data; boundary=y' },
    })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'The body is not a valid form.' },
    })
  })
})

it('a sync start returns a message, or 400 while one runs', async () => {
  const start = `/projects/${slugs.open}/sources/sync/`
  const held = await core.beginHeld()
  const refused = await ask('POST', start)
  expect([refused.status, refused.body]).toEqual([400, { error: expect.stringMatching(/\.$/) }])
  held.release()
  expect((await core.ended(held.run)).status).toBe('completed')
  const started = await ask('POST', start, { nonsense: true })
  expect([started.status, started.body]).toEqual([200, { message: expect.stringMatching(/\.$/) }])
})
