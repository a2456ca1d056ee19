// Projects, sources and runs through REST, with the real services, but without crawling.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAllowList } from '../../crawler/address.ts'
import { createProjectService } from '../../services/project/project-service.ts'
import { createRecrawlService } from '../../services/recrawl/recrawl-service.ts'
import { createCredentialKeeper } from '../../services/source/credentials.ts'
import { createSourceService } from '../../services/source/source-service.ts'
import { createSyncService } from '../../services/sync/sync-service.ts'
import { checkHere } from '../openapi/check-here.ts'
import { openRestLab, type RestLab } from './rest-lab.ts'

const keeper = createCredentialKeeper(Buffer.alloc(32, 1))

const lab = await openRestLab((deps) => ({
  projects: createProjectService(deps),
  sources: createSourceService({
    ...{ ...deps, credentials: keeper, checkDescription: checkHere, testAddress: () => Promise.reject() },
    allow: readAllowList('git.intranet,10.1.0.0/16'),
  }),
  sync: createSyncService({ ...deps, embedding: { progress: async () => null } }),
  recrawl: createRecrawlService(deps),
}))
afterAll(() => lab.close())

const ask: RestLab['ask'] = (...request) => lab.ask(...request)
const makeProject: RestLab['makeProject'] = (given) => lab.makeProject(given)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('projects', () => {
  it.each([{}, undefined])('are unchanged by a change without fields: %j', async (body) => {
    const slug = await makeProject({ name: 'Unchanged' })
    const { body: before } = await ask('GET', `projects/${slug}/`)
    for (let tries = 0; tries < 5; tries++) {
      expect(await ask('PATCH', `projects/${slug}/`, body)).toEqual({ status: 200, body: before })
    }
  })

  it('have every field of the interface when created', async () => {
    const { status, body } = await ask('POST', 'projects/', { name: 'My Docs' })
    expect(status).toBe(201)
    expect(body).toEqual({
      slug: 'my-docs',
      uuid: expect.stringMatching(uuid),
      name: 'My Docs',
      is_private: false,
      whitelabel: false,
      allowed_domains: [],
      ...{ last_sync: null, embedding: null },
      created_at: expect.stringMatching(time),
      updated_at: expect.stringMatching(time),
      config: {
        chat: { initial_message: null, suggested_questions: [], think_mode: false, actions: [] },
        search: { filters: [] },
        mcp: { enabled: false, server_name: null, metadata_tag: null },
        prompt: { use_default: true, version: 'v3', extend: null },
        sync: { schedule: null },
        retention_days: null,
      },
    })
    expect((await ask('GET', 'projects/my-docs')).body).toEqual(body)
  })

  it('change only what a PATCH names; null clears', async () => {
    const slug = await makeProject({
      name: 'Changing',
      config: { chat: { initial_message: 'Hello' }, sync: { schedule: '0 3 * * *' } },
    })
    const filters = [
      { title: 'Second', url: '/b/', position: 7 },
      { title: 'First', url: '/a/', position: 3 },
    ]
    const change = { config: { chat: { initial_message: null }, search: { filters } } }
    const { status, body } = await ask('PATCH', `projects/${slug}/`, change)
    expect(status).toBe(200)
    expect(body.config.chat.initial_message).toBeNull()
    expect(body.config.sync.schedule).toBe('0 3 * * *')
    expect(body.config.search.filters).toEqual([
      { title: 'First', url: '/a/', position: 1 },
      { title: 'Second', url: '/b/', position: 2 },
    ])
    expect((await ask('GET', `projects/${slug}/`)).body).toEqual(body)
  })

  it('reject a filter whose pattern is too large', async () => {
    const filters = [{ title: 'Large', url: '.{0,1000}'.repeat(90), position: 1 }]
    const slug = await makeProject({ name: 'Filtered' })
    for (const [method, path, body] of [
      ['POST', 'projects/', { name: 'Other', config: { search: { filters } } }],
      ['PATCH', `projects/${slug}/`, { config: { search: { filters } } }],
    ] as const) {
      const { status, body: answer } = await ask(method, path, body)
      expect([status, Object.keys(answer.fields)]).toEqual([400, ['config.search.filters[0].url']])
    }
  })

  it('write nothing if a field is invalid', async () => {
    const slug = await makeProject({ name: 'Steady' })
    const before = (await ask('GET', `projects/${slug}/`)).body
    const changes: [object, string][] = [
      [{ name: 'New', config: { chat: { actions: [] } } }, 'config.chat.actions'],
      [{ name: 'New', allowed_domains: ['https://a.example'] }, 'allowed_domains[0]'],
      [{ name: 'N\u0000ew' }, 'name'],
      [{ name: 'New', config: { mcp: { server_name: 'a\u007f' } } }, 'config.mcp.server_name'],
      [
        { name: 'New', config: { chat: { suggested_questions: ['How?', 'Why\n?'] } } },
        'config.chat.suggested_questions[1]',
      ],
      [
        {
          name: 'New',
          config: { search: { filters: ['A', 'B', 'A'].map((title) => ({ title, url: 'x' })) } },
        },
        'config.search.filters[2].title',
      ],
    ]
    for (const [change, field] of changes) {
      const { status, body } = await ask('PATCH', `projects/${slug}/`, change)
      expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
    }
    expect((await ask('GET', `projects/${slug}/`)).body).toEqual(before)
  })

  it('have unique slugs', async () => {
    await makeProject({ name: 'One', slug: 'one' })
    const { status, body } = await ask('POST', 'projects/', { name: 'Other', slug: 'one' })
    expect([status, body.code, Object.keys(body.fields)]).toEqual([409, 'slug_taken', ['slug']])
    for (const slug of ['Not A Slug', '', 'a'.repeat(65), 'a\u0000']) {
      const wrong = await ask('POST', 'projects/', { name: 'Other', slug })
      expect([wrong.status, Object.keys(wrong.body.fields)], slug).toEqual([400, ['slug']])
    }
  })

  it('are unknown after deletion', async () => {
    const slug = await makeProject({ name: 'Short' })
    expect(await ask('DELETE', `projects/${slug}/`)).toEqual({ status: 204, body: '' })
    expect((await ask('GET', `projects/${slug}/`)).status).toBe(404)
    expect((await ask('DELETE', `projects/${slug}/`)).status).toBe(404)
  })

  it('are listed in pages with links', async () => {
    const seen: string[] = []
    const { count } = (await ask('GET', 'projects/')).body
    for (let next: string | null = `${lab.gateway.url}/api/v2/projects/?limit=2`; next !== null; ) {
      const { body } = await ask('GET', next.split('/api/v2/')[1]!)
      seen.push(...body.results.map(({ slug }: { slug: string }) => slug))
      next = body.next
    }
    expect(seen).toHaveLength(count)
    expect(seen).toEqual(seen.toSorted())
  })
})

describe('sources and runs', () => {
  let base: string
  beforeAll(async () => {
    base = `projects/${await makeProject({ name: 'Sourced', allowed_domains: ['more.example'] })}/`
  })

  it('a source is added, changed, listed and deleted', async () => {
    const site = { type: 'site', url: 'https://d.example/docs/', exclude: ['**/old/**'], max_pages: 10 }
    const added = await ask('POST', `${base}sources/`, site)
    expect(added.status).toBe(201)
    expect(added.body).toMatchObject({ ...site, page_count: 0, last_crawled_at: null, max_depth: null })
    const one = `${base}sources/${added.body.uuid}/`
    const change = { name: 'Docs', max_pages: null, exclude: [] }
    expect((await ask('PATCH', one, change)).body).toEqual({ ...added.body, ...change })
    expect((await ask('GET', `${base}sources/`)).body).toMatchObject({ count: 1, next: null, previous: null })
    expect((await ask('POST', `${base}sources/`, site)).body.code).toBe('source_exists')
    expect((await ask('DELETE', one)).status).toBe(204)
    expect((await ask('GET', one)).status).toBe(404)
  })

  it.each<[object, string]>([
    [{ type: 'url', url: 'https://d.example/', include: ['**'] }, 'include'],
    [{ type: 'site', url: 'https://d.example/', exclude: ['/a/*', '?*'.repeat(400)] }, 'exclude[1]'],
    [{ type: 'confluence', url: 'https://d.example/', space_key: '' }, 'space_key'],
    [{ type: 'site', url: 'https://u:p@d.example/' }, 'url'],
    [{ type: 'site', url: 'https://u@d.example/' }, 'url'],
    [{ type: 'site', url: 'https://d.example/', name: 'Docs\u001b[2J' }, 'name'],
  ])('%j is rejected for its %s', async (source, field) => {
    const { status, body } = await ask('POST', `${base}sources/`, source)
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
  })

  it('credentials are kept or replaced, and never returned', async () => {
    const url = 'https://api.example/openapi.json'
    const credentials = { header: 'X-Token', value: 'hunter2' }
    const { status, body } = await ask('POST', `${base}sources/`, { type: 'openapi', url, credentials })
    expect([status, 'credentials' in body]).toEqual([201, false])
    const one = `${base}sources/${body.uuid}/`
    const opened = async () => {
      const { rows } = await lab.store.projects.list(lab.team, null, { offset: 0, limit: 100 })
      const all = await Promise.all(rows.map(({ uuid }) => lab.store.sources.get(uuid, body.uuid)))
      const sealed = all.find((row) => row !== null)!.credentials
      expect(sealed ?? '').not.toContain('hunter')
      return sealed && keeper.open(body.uuid, sealed)
    }
    expect(await opened()).toEqual(credentials)
    const patched = await ask('PATCH', one, { credentials: { value: 'hunter3' } })
    expect(JSON.stringify(patched)).not.toContain('hunter')
    expect(await opened()).toEqual({ header: 'X-Token', value: 'hunter3' })
    expect((await ask('GET', one)).body).not.toHaveProperty('credentials')
    expect((await ask('PATCH', one, { credentials: null })).status).toBe(200)
    expect(await opened()).toBeNull()
    expect((await ask('DELETE', one)).status).toBe(204)
  })

  it.each([
    [{ header: 'X-Token' }, 'credentials.value'],
    [{ token: 'hunter2' }, 'credentials.token'],
    [{ header: 'X Token', value: 'hunter2' }, 'credentials.header'],
    [{ header: 'X-Token', value: 'hunter2\r\nHost: evil' }, 'credentials.value'],
  ])('credentials %j are rejected for %s', async (credentials, field) => {
    const source = { type: 'openapi', url: 'https://api.example/other.json', credentials }
    const { status, body } = await ask('POST', `${base}sources/`, source)
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
    expect(JSON.stringify(body)).not.toContain('hunter')
  })

  it('a Confluence space is one source, under any address of its server', async () => {
    const source = { type: 'confluence', url: 'https://acme.atlassian.net/', space_key: 'DOC' }
    expect((await ask('POST', `${base}sources/`, source)).body).toMatchObject({ space_key: 'DOC' })
    const again = { ...source, url: `${source.url}wiki/spaces/DOC/overview` }
    expect((await ask('POST', `${base}sources/`, again)).body.code).toBe('source_exists')
    expect((await ask('POST', `${base}sources/`, { ...source, space_key: 'OPS' })).status).toBe(201)
  })

  it('a run supersedes the one before', async () => {
    expect((await ask('GET', `${base}sync/`)).body.code).toBe('never_synced')
    const first = await ask('POST', `${base}sync/`)
    const second = await ask('POST', `${base}sync/`, {})
    expect([first.status, second.status]).toEqual([202, 202])
    const { body } = await ask('GET', `${base}sync/${first.body.uuid}/`)
    expect(body).toMatchObject({ status: 'cancelled', superseded_by: second.body.uuid, trigger: 'api' })
    expect((await ask('GET', `${base}sync/`)).body.uuid).toBe(second.body.uuid)
    expect((await ask('GET', base)).body.last_sync).toEqual(second.body)
    expect((await ask('GET', `${base}syncs/?limit=1`)).body).toMatchObject({
      count: 2,
      results: [{ uuid: second.body.uuid }],
    })
    const cancel = `${base}sync/${second.body.uuid}/cancel/`
    expect((await ask('POST', cancel)).status).toBe(202)
    expect((await ask('POST', cancel)).body.code).toBe('run_ended')
    expect((await ask('GET', `${base}sync/${randomUUID()}/`)).status).toBe(404)
  })

  it('a recrawl requires an indexed project, whatever the host', async () => {
    for (const url of ['https://more.example/a', 'https://x.example/a']) {
      const early = await ask('POST', `${base}recrawl/`, { url })
      expect([early.status, early.body.code]).toEqual([409, 'never_indexed'])
    }
    expect((await ask('POST', `${base}recrawl/`, {})).body.fields).toHaveProperty('url')
    const secret = await ask('POST', `${base}recrawl/`, { url: 'https://u:p@more.example/a' })
    expect(secret.body.fields).toEqual({ url: ['must not carry a user name or password'] })
  })
})

describe('repositories', () => {
  let base: string
  beforeAll(async () => {
    base = `projects/${await makeProject({ name: 'Guide' })}/`
  })

  it.each([
    ['http://git.example/acme/guide', 400],
    ['http://10.2.0.1/guide.git', 400],
    ['http://git.intranet/guide.git', 201],
    ['http://10.1.0.1/guide.git', 201],
  ])('over http are read only from hosts in LECTERN_CRAWL_ALLOW: %s', async (url, status) => {
    const { body, ...answer } = await ask('POST', `${base}sources/`, { type: 'repository', url })
    expect(answer.status).toBe(status)
    if (status === 400)
      expect(body.fields).toEqual({
        url: ['must be an https address, or name a host of LECTERN_CRAWL_ALLOW'],
      })
  })

  it('two branches of a repository are two sources, and a token is never returned', async () => {
    const repository = {
      type: 'repository',
      url: 'https://git.example/acme/guide',
      credentials: { token: 'hunter2' },
    }
    const fields = { branch: 'v2', base_url: 'https://guide.example/', include: ['docs/**'] }
    const added = await ask('POST', `${base}sources/`, { ...repository, ...fields })
    expect([added.status, added.body]).toMatchObject([
      201,
      { ...fields, url: repository.url, last_error: null },
    ])
    expect(JSON.stringify(added.body)).not.toContain('hunter')
    expect((await ask('POST', `${base}sources/`, repository)).status).toBe(201)
    expect((await ask('POST', `${base}sources/`, { ...repository, branch: 'v2' })).body.code).toBe(
      'source_exists',
    )
    const one = `${base}sources/${added.body.uuid}/`
    expect((await ask('PATCH', one, { branch: null })).body.code).toBe('source_exists')
    expect((await ask('PATCH', one, { branch: 'v3' })).body.branch).toBe('v3')
  })

  it.each([
    [{ url: 'https://ann:hunter2@git.example/r' }, 'url'],
    [{ url: 'https://git.example/r', base_url: 'ftp://guide.example/' }, 'base_url'],
    [{ url: 'https://git.example/r', max_depth: 1 }, 'max_depth'],
    [{ url: 'https://git.example/r', include: ['['] }, 'include[0]'],
  ])('a repository %j is rejected for its %s', async (fields, field) => {
    const { status, body } = await ask('POST', `${base}sources/`, { type: 'repository', ...fields })
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
  })
})
