// REST v2 responses over a real socket: shapes, lists, errors.
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestGateway, type TestGateway } from './gateway/lectern-gateway.ts'

const gateway = await openTestGateway()
beforeEach(() => {
  gateway.asked.length = 0
  gateway.logged.length = 0
})
afterAll(() => gateway.close())

const open = '/api/v2/projects/open/'

/** Status and body. */
async function ask(...request: Parameters<TestGateway['ask']>) {
  const answer = await gateway.ask(...request)
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of bodies
  return { answer, status: answer.status, body: (await answer.json()) as any }
}

describe('resources', () => {
  it('return the summary of a run when a sync starts', async () => {
    const { status, body } = await ask('POST', `${open}sync/`)
    expect(status).toBe(202)
    expect(body).toEqual({
      uuid: 'run',
      status: 'queued',
      created_at: '2026-01-01T00:00:00.005Z',
      started_at: null,
      finished_at: null,
    })
  })

  it('return the secret of a new key once', async () => {
    const { status, body } = await ask('POST', '/api/v2/keys/', { name: 'K', permissions: ['search'] })
    expect(status).toBe(201)
    expect(body).toMatchObject({ key: 'lec_1', projects: null, expires_at: null })
  })

  it('pass a change to the core with its mask and explicit nulls', async () => {
    const change = { config: { chat: { think_mode: true }, sync: { schedule: null } }, is_private: true }
    expect((await ask('PATCH', open, change)).status).toBe(200)
    const [request] = gateway.asked
    expect(request.slug).toBe('open')
    expect(request.updateMask.paths).toEqual(['config.chat.think_mode', 'config.sync.schedule', 'is_private'])
    expect(request.project).toMatchObject({ isPrivate: true, config: { chat: { thinkMode: true } } })
  })
})

describe('lists', () => {
  const list = async (query: string) => (await ask('GET', `/api/v2/projects/${query}`)).body

  it('have 20 results by default, and links that keep other parameters', async () => {
    const { count, next, previous, results } = await list('?b=%C3%A9&offset=20')
    expect({ count, next, previous }).toEqual({
      count: 45,
      next: `${gateway.url}/api/v2/projects/?b=%C3%A9&offset=40&limit=20`,
      previous: `${gateway.url}/api/v2/projects/?b=%C3%A9&offset=0&limit=20`,
    })
    expect(results).toHaveLength(1)
  })

  it('have no next link on the last page', async () => {
    expect(await list('?offset=40')).toMatchObject({ next: null })
    expect(await list('')).toMatchObject({ previous: null })
    expect(await list('?limit=45')).toMatchObject({ next: null, previous: null })
  })

  it('serve a limit above 100 as 100', async () => {
    expect((await list('?limit=5000&offset=200')).previous).toContain('?limit=100&offset=100')
    expect((await list('?limit=5000')).next).toBeNull()
  })

  it.each(['0', '-1', '1.5', 'ten', '', '%20', '0x10', '1e3'])('reject the limit %j', async (limit) => {
    const { status, body } = await ask('GET', `/api/v2/projects/?limit=${limit}`)
    expect([status, body.code, Object.keys(body.fields)]).toEqual([400, 'invalid', ['limit']])
  })
})

describe('search', () => {
  const search = (query: string) => ask('GET', `${open}search/?${query}`)

  it('returns {results}, or the bare array if domain_filter was sent', async () => {
    expect((await search('q=x')).body.results[0]).toMatchObject({
      title: 'x',
      source_type: 'site',
      page: null,
    })
    expect((await search('q=x&domain_filter=')).body).toHaveLength(1)
    expect((await search('q=x&domain_filter=Guide')).body).toHaveLength(1)
    expect(gateway.asked.map(({ domainFilter }) => domainFilter)).toEqual([undefined, undefined, 'Guide'])
  })

  it('returns only the requested fields, null where absent', async () => {
    const { body } = await search('q=x&fields=title,%20page')
    expect(body).toEqual({ results: [{ title: 'x', page: null }] })
    expect((await search('q=x&fields=title&domain_filter=')).body).toEqual([{ title: 'x' }])
    expect((await search('q=x&fields=')).body.results[0]).toHaveProperty('document_id')
    expect((await search('q=x')).body.results[0]).not.toHaveProperty('headings')
    expect((await search('q=x&fields=headings')).body.results).toEqual([{ headings: [] }])
  })

  it('rejects an unknown field and lists the known ones', async () => {
    const { status, body } = await search('q=x&fields=title,headline')
    expect([status, body.code]).toEqual([400, 'invalid'])
    expect(body.error).toMatch(/^fields\[1\] must be one of title, page_title, url, .*headings\.$/)
  })

  it('accepts the addresses that old clients paste', async () => {
    await search(
      'q=100% sure%E4&filter_title=A+B&source_types=all&search_type=hybrid&url=https://d.example/?a=1',
    )
    expect(gateway.asked[0]).toMatchObject({
      q: '100% sure%E4',
      filterTitle: 'A B',
      contentScope: 2,
      url: 'https://d.example/?a=1',
    })
  })

  it.each([
    ['GET', ''],
    ['GET', 'search/?q=x'],
    ['POST', 'search/click/'],
    ['GET', 'documents/d/'],
  ])('%s %s of a public project ignores the domain of the calling page', async (method, path) => {
    const from = (origin: string, authorization = '') =>
      ask(method, `/api/v2/projects/fenced/${path}`, undefined, { authorization, origin })
    for (const origin of ['https://docs.example.com', 'https://preview.example', gateway.url])
      expect((await from(origin)).status).toBe(200)
    expect((await from('https://preview.example', gateway.authorization)).status).toBe(200)
  })

  it('counts a click without a body, whatever its content type', async () => {
    for (const type of ['application/json', 'text/plain', '']) {
      const answer = await gateway.ask('POST', `${open}search/click/`, undefined, { 'content-type': type })
      expect([answer.status, await answer.json()]).toEqual([200, {}])
    }
  })
})

describe('errors', () => {
  it.each<[string, string, unknown, number, string, string[]]>([
    ['POST', '/api/v2/projects/', { nmae: 'x' }, 400, 'invalid', ['nmae']],
    ['POST', '/api/v2/projects/', {}, 400, 'invalid', ['name']],
    ['POST', '/api/v2/projects/', '{"name": "x"', 400, 'invalid', []],
    ['POST', '/api/v2/projects/', '['.repeat(100_000), 400, 'invalid', []],
    ['POST', '/api/v2/projects/', `{"name":${'['.repeat(200)}${']'.repeat(200)}}`, 400, 'invalid', []],
    ['PATCH', open, { config: { chat: { actions: [] } } }, 400, 'read_only', ['config.chat.actions']],
    ['POST', `${open}sync/`, { unless_running: true }, 400, 'invalid', ['unless_running']],
    ['POST', `${open}recrawl/`, { slug: 'other', url: 'https://d.example/' }, 400, 'invalid', ['slug']],
    ['GET', `${open}sync/`, undefined, 404, 'never_synced', []],
    ['GET', '/api/v2/projects/none/', undefined, 404, 'not_found', []],
    ['GET', '/api/v2/nothing', undefined, 404, 'not_found', []],
    ['GET', '/api/v2/projects/?offset=-1', undefined, 400, 'invalid', ['offset']],
    ['GET', `${open}search/`, undefined, 400, 'invalid', ['q']],
    ['GET', `${open}search/?q=away`, undefined, 503, 'unavailable', []],
    ['GET', `${open}search/?q=much`, undefined, 429, 'rate_limited', []],
  ])('%s %s %j → %i %s %j', async (method, path, body, status, code, fields) => {
    const { answer, body: error, ...got } = await ask(method, path, body)
    expect([got.status, error.code, Object.keys(error.fields ?? {})]).toEqual([status, code, fields])
    expect(error.error).toMatch(/^[^\n]+[.\w]$/)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('content-type')).toBe('application/json')
    if (status === 429 || status === 503) expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(gateway.logged).toEqual([])
  })

  it('returns 401 with a challenge if a needed key is missing', async () => {
    for (const authorization of ['', 'Api-Key nonsense', 'Bearer x']) {
      const { answer, status, body } = await ask('GET', '/api/v2/projects/closed/', undefined, {
        authorization,
      })
      expect([status, body.code]).toEqual([401, 'unauthenticated'])
      expect(answer.headers.get('www-authenticate')).toBe('Api-Key')
    }
    expect((await ask('GET', open, undefined, { authorization: 'Api-Key nonsense' })).status).toBe(200)
  })

  it('returns 404 for an unknown team of the admin key', async () => {
    const { status, body } = await ask('GET', '/api/v2/projects/', undefined, { 'x-lectern-team': 'none' })
    expect([status, body.code, Object.keys(body.fields)]).toEqual([404, 'not_found', ['x-lectern-team']])
  })

  it('hides the details of an internal error', async () => {
    const { status, body } = await ask('GET', `${open}search/?q=boom`)
    expect([status, body]).toEqual([500, { error: 'internal error', code: 'internal' }])
    expect(gateway.logged).toHaveLength(1)
  })

  it('returns 405 with the allowed methods', async () => {
    const { answer, status, body } = await ask('DELETE', '/api/v2/keys')
    expect([status, body.code]).toEqual([405, 'method_not_allowed'])
    expect(answer.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS')
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonx',
  ])('returns 415 for %s', async (type) => {
    const { status, body } = await ask('POST', '/api/v2/projects/', { name: 'x' }, { 'content-type': type })
    expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
  })

  it('returns 415 for a compressed body', async () => {
    const { status } = await ask('POST', '/api/v2/projects/', { name: 'x' }, { 'content-encoding': 'gzip' })
    expect(status).toBe(415)
  })
})
