// REST v1 of a complete Lectern, as integrations and widgets older than v2 use it from pages of another origin.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Harbor, sharedHarbor } from './harbor.ts'
import { adminKey } from './lectern-process.ts'
import { type AskV1, askV1, page } from './v1-client.ts'

const harborUrl = '/projects/harbor/'
const pattern = '^http://[^/]+/deploy[.]html$'

let harbor: Harbor
let uuid: string
beforeAll(async () => {
  harbor = await sharedHarbor()
  const filters = [
    { title: 'Install', url: '/install[.]html$' },
    { title: 'Deploy', url: pattern },
  ]
  const config = {
    chat: { initial_message: 'Ahoy', suggested_questions: ['How?'], think_mode: true },
    search: { filters },
    mcp: { enabled: true, server_name: 'Harbor', metadata_tag: 'tag' },
  }
  const changed = await harbor.lectern.call('PATCH', `/api/v2${harborUrl}`, { config, whitelabel: true })
  expect(changed.status).toBe(200)
  uuid = changed.body.uuid
})

const ask: AskV1 = (...request) => askV1(harbor.lectern.baseUrl, ...request)
const withKey = (method: string, path: string, body?: unknown) => ask(method, path, { body, key: adminKey })
const search = (query: string) => ask('GET', `${harborUrl}search/?${query}`)

const settings = {
  whitelabel: true,
  is_private: false,
  initial_message: 'Ahoy',
  suggested_questions: ['How?'],
  think_mode: true,
  filters: [
    { title: 'Install', url: '/install[.]html$', position: 1 },
    { title: 'Deploy', url: pattern, position: 2 },
  ],
  mcp_enabled: true,
  mcp_server_name: 'Harbor',
  mcp_metadata_tag: 'tag',
}

describe('a project', () => {
  it('has its settings at top level, and is found by its UUID too', async () => {
    expect(await ask('GET', harborUrl)).toMatchObject({ status: 200, body: settings })
    const { body } = await ask('GET', `/projects/${uuid}`)
    expect(body).toEqual(settings)
  })

  it('always has a list of filters', async () => {
    expect((await withKey('GET', '/projects/secret/')).body.filters).toEqual([])
  })

  it('returns 404 if unknown, and 403 if it needs a key', async () => {
    expect(await ask('GET', '/projects/none/')).toMatchObject({
      status: 404,
      body: { error: 'There is no such project.' },
    })
    for (const key of ['', 'lec_nonsense']) {
      const { status, body, headers } = await ask('GET', '/projects/secret/', { key })
      expect([status, Object.keys(body)]).toEqual([403, ['error']])
      expect(headers.get('www-authenticate')).toBeNull()
    }
  })
})

describe('a search', () => {
  it('returns {results}', async () => {
    const { status, body } = await search('q=install&filter_title=Install')
    expect(status).toBe(200)
    expect(body.results.length).toBeGreaterThan(0)
    for (const { url } of body.results) expect(url).toMatch(/^http:\/\/.*install\.html/)
  })

  it.each(['domain_filter=', 'domain_filter=Install', 'domain_filter'])(
    'returns the bare array if domain_filter is present: %s',
    async (filter) => {
      expect((await search(`q=install&${filter}`)).body[0]).toMatchObject({ url: expect.any(String) })
    },
  )

  it('returns the bare array to a page that sends only q, since a # cut off the rest', async () => {
    expect(Array.isArray((await search('q=install')).body)).toBe(true)
    const program = await ask('GET', `${harborUrl}search/?q=install`, { headers: { origin: '' } })
    expect(program.body).toHaveProperty('results')
    expect((await search('q=install&limit=1')).body).toHaveProperty('results')
  })

  it('parses what a widget pastes: q, a filter’s pattern, and the complete address of the page', async () => {
    const address = `${page}/a/?q=no&limit=x&domain_filter=no&version=9&language=xx&content_scope=none&100%`
    const { status, body } = await search(`q=install 100% sure&domain_filter=/install[.]html$&url=${address}`)
    expect(status).toBe(200)
    expect(body[0].url).toMatch(/install\.html/)
  })

  it('reads a + in a pattern as a space', async () => {
    for (const filter of [pattern, encodeURIComponent(pattern)]) {
      const { body } = await search(`q=harbor&domain_filter=${filter}`)
      expect(body[0].url).toMatch(/deploy\.html/)
    }
    // The reader's own pattern, with its space.
    expect((await search('q=harbor&domain_filter=^http://[^/]+/install')).body).toEqual([])
  })

  it('ignores parameters that v1 did not have', async () => {
    expect(
      (await search('q=install&version=9&language=xx&uncounted=true&fields=none&nonsense=1')).body.results,
    ).not.toEqual([])
  })

  it('has absolute addresses only', async () => {
    const { body } = await search('q=harbor&domain_filter=')
    expect(body.length).toBeGreaterThan(1)
    for (const { url } of body) expect(URL.canParse(url)).toBe(true)
  })

  it('finds the project by its UUID too', async () => {
    expect((await ask('GET', `/projects/${uuid}/search/?q=install&domain_filter=`)).body).not.toEqual([])
  })

  it('counts a click with a type and no body', async () => {
    const headers = { 'content-type': 'application/json; charset=UTF-8' }
    expect(await ask('POST', `${harborUrl}search/click/`, { headers })).toMatchObject({
      status: 200,
      body: {},
    })
  })
})

describe('other origins', () => {
  it.each(['/projects/harbor/', '/projects/none/', '/nothing/', '/chats/none'])(
    'may read the responses of %s, and errors',
    async (path) => {
      expect((await ask('GET', path)).headers.get('access-control-allow-origin')).toBe('*')
    },
  )

  it.each([
    ['/chats/', 'POST'],
    ['/projects/harbor/sources/', 'POST'],
    ['/messages/x/feedback/', 'POST'],
  ])('may send key, type and restore token to %s', async (path, method) => {
    const answer = await ask('OPTIONS', path, {
      headers: {
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type,x-chat-restore-token',
      },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toContain(method)
    const allowed = answer.headers.get('access-control-allow-headers')!.split(', ')
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'x-chat-restore-token']))
  })
})

it.each([
  ['GET', '/nothing/', 404],
  ['PATCH', harborUrl, 405],
  ['GET', `${harborUrl}search/`, 400],
  ['GET', `${harborUrl}sources/`, 403],
  ['POST', '/chats/', 400],
])('errors %s %s returns only {error} with a sentence', async (method, path, status) => {
  const answer = await ask(method, path)
  expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['error']])
  expect(answer.body.error).toMatch(/^\S.*\.$/)
})
