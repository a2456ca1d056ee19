// The command line as users run it, with a real core and a store on disk. Crawling and searching are replaced.
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readAllowList } from '../crawler/address.ts'
import { openStore } from '../services/drivers.ts'
import { createKeyService } from '../services/key/key-service.ts'
import { createProjectService } from '../services/project/project-service.ts'
import type { Runs } from '../services/runs/runs.ts'
import { createSearchService } from '../services/search/search-service.ts'
import { createCore } from '../services/server/core.ts'
import { openCoreServer } from '../services/server/core-server.ts'
import { createCredentialKeeper } from '../services/source/credentials.ts'
import { createSourceService } from '../services/source/source-service.ts'
import type { AnalyticsEvent } from '../services/store/analytics.ts'
import { createSyncService } from '../services/sync/sync-service.ts'
import { createTeamService } from '../services/team/team-service.ts'
import { runHere } from '../test/e2e/cli.ts'
import { createFolder } from '../test/folder.ts'
import { checkHere } from '../test/openapi/check-here.ts'
import { openapi3 } from '../test/openapi/pets.ts'

const adminKey = 'an-admin-key-for-tests-only'
const done = async () => {}
/** Ends each run at once, with `outcome` and `errors`. */
const runs: Runs = {
  startSync: async ({ uuid, project }) => {
    await store.runs.start(uuid, new Date().toISOString())
    const sources = await store.sources.all(project)
    for (const [at, error] of errors.entries()) await store.sources.failed(sources[at]!.uuid, error)
    const end = { status: outcome, at: new Date().toISOString(), error: errors[0] ?? null }
    await store.runs.finish(uuid, { ...end, sourcesFailed: errors.length })
  },
  ...{ stopSync: done, startRecrawl: done, schedule: done, dropProject: done },
  ...{ sweep: done, ping: done, close: done },
}

const folder = createFolder()
let outcome: 'completed' | 'failed' = 'completed'
/** Why the next run cannot read the first sources of its project. */
let errors: string[] = []
/** Queries counted as readers' searches. */
const counted: (string | null)[] = []

const store = await openStore({ data: folder })
await store.teams.insert({ uuid: randomUUID(), name: 'Team', createdAt: new Date().toISOString() })
const now = () => new Date()
const deps = { store, runs, now, newUuid: randomUUID }
const recorder = {
  searched: (_: string, { query }: AnalyticsEvent) => counted.push(query),
  record() {},
  close: done,
}
const core = createCore(
  { store, log: { error: () => {} }, now, adminKey, readOrigin: () => null },
  {
    projects: createProjectService(deps),
    sources: createSourceService({
      ...deps,
      credentials: createCredentialKeeper(Buffer.alloc(32, 1)),
      checkDescription: checkHere,
      testAddress: () => Promise.reject(),
      allow: readAllowList(''),
    }),
    sync: createSyncService({ ...deps, embedding: { progress: async () => null } }),
    search: createSearchService({
      ...deps,
      recorder,
      pages: store.pages,
      search: async () => ({ results: [], meaning: null }),
    }),
    keys: createKeyService(deps),
    team: createTeamService({ ...deps, pageLimit: null }),
  },
)
const server = await openCoreServer(core, { address: { host: '127.0.0.1', port: 0 }, backends: {} })
afterAll(async () => {
  await server.close(0)
  await store.close()
})
beforeEach(() => {
  outcome = 'completed'
  errors = []
})

const lectern = (args: string[], env: Record<string, string> = {}) =>
  runHere(args, {
    LECTERN_GRPC: `127.0.0.1:${server.port}`,
    LECTERN_API_KEY: adminKey,
    LECTERN_DATA: folder,
    ...env,
  })

test('adds, lists and removes projects', async () => {
  const added = await lectern(['projects', 'add', 'My docs', 'https://docs.example.org/', '--private'])
  expect(added).toMatchObject({ code: 0, err: '' })
  expect(added.out).toMatch(/^Created project my-docs\.\nSync [0-9a-f-]{36} is queued\.\n$/)
  expect((await lectern(['projects'])).out).toMatch(/^SLUG.*\nmy-docs +My docs +private +completed\n$/)
  const listed = JSON.parse((await lectern(['projects', 'list', '--json'])).out)
  expect(listed).toMatchObject({ count: 1, results: [{ slug: 'my-docs', is_private: true }] })
  expect(await lectern(['projects', 'remove', 'my-docs'])).toMatchObject({ code: 0 })
  expect(JSON.parse((await lectern(['projects', '--json'])).out).results).toEqual([])
})

test('adds, lists and removes sources', async () => {
  await lectern(['projects', 'add', 'Many', 'https://docs.example.org/'])
  const url = 'https://api.example.org/openapi.json'
  const added = await lectern([
    'sources',
    'add',
    'many',
    url,
    '--type',
    'openapi',
    '--name',
    'The API',
    '--json',
  ])
  expect(added).toMatchObject({ code: 0, err: '' })
  const source = JSON.parse(added.out)
  expect(source).toMatchObject({ type: 'openapi', url, name: 'The API', page_count: 0 })
  const globs = [
    '--include',
    '**/a/**',
    '**/b/**',
    '--exclude',
    '**/c/**',
    '--max-pages',
    '20000',
    '--max-depth',
    '0',
  ]
  const site = JSON.parse(
    (await lectern(['sources', 'add', 'many', 'https://a.example/', ...globs, '--json'])).out,
  )
  expect(site).toMatchObject({
    type: 'site',
    include: ['**/a/**', '**/b/**'],
    exclude: ['**/c/**'],
    max_pages: 20_000,
    max_depth: 0,
  })
  expect((await lectern(['sources', 'many'])).out).toMatch(
    new RegExp(`^UUID.*\\n(.*\\n)*${source.uuid} +openapi +pending +0 +The API\\n`),
  )
  const file = join(folder, 'pets.yaml')
  await writeFile(file, stringify(openapi3))
  const [spec, page] = [['--spec', file], 'https://docs.example.org/api/']
  const type = ['--type', 'openapi', '--json']
  const alone = JSON.parse((await lectern(['sources', 'add', 'many', ...type, ...spec])).out)
  expect(alone).toMatchObject({ type: 'openapi', url: null, base_url: null, name: 'Pet Store' })
  expect(await lectern(['sources', 'remove', 'many', alone.uuid])).toMatchObject({ code: 0 })
  const whole = await lectern(['sources', 'add', 'many', ...type, ...spec, '--base-url', page])
  expect(JSON.parse(whole.out)).toMatchObject({
    type: 'openapi',
    url: null,
    base_url: page,
    name: 'Pet Store',
  })
  expect(await lectern(['sources', 'remove', 'many', JSON.parse(whole.out).uuid])).toMatchObject({ code: 0 })
  expect(await lectern(['sources', 'remove', 'many', source.uuid])).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse((await lectern(['sources', 'list', 'many', '--json'])).out).count).toBe(2)
  await lectern(['projects', 'remove', 'many'])
})

test.each([
  ['no address', [], /url.*required/],
  ['a field of another type', ['https://a.example/x', '--type', 'url', '--max-pages', '5'], /max_pages/],
  ['an unknown type', ['https://a.example/', '--type', 'cat'], /url, site, sitemap/],
  [
    'a missing secret file',
    ['https://a.example/', '--type', 'openapi', '--value', '/none'],
    /none does not exist/,
  ],
])('rejects a source with %s', async (_, args, line) => {
  await lectern(['projects', 'add', 'Refused', 'https://docs.example.org/', '--slug', 'refused'])
  const { code, out, err } = await lectern(['sources', 'add', 'refused', ...args])
  expect([code, out, err]).toEqual([1, '', expect.stringMatching(line)])
  await lectern(['projects', 'remove', 'refused'])
})

test("a search from the command line is not counted as a reader's", async () => {
  await lectern(['projects', 'add', 'Searched', 'https://docs.example.org/'])
  expect(await lectern(['search', 'searched', 'how to install'])).toMatchObject({
    code: 0,
    out: 'Nothing found.\n',
  })
  expect(JSON.parse((await lectern(['search', 'searched', 'words', '--json'])).out)).toEqual({ results: [] })
  expect(counted).toEqual([])
  await lectern(['projects', 'remove', 'searched'])
})

test('an invalid URL creates no project', async () => {
  const { code, err } = await lectern(['projects', 'add', 'Docs', 'docs.example.org'])
  expect([code, err]).toEqual([1, expect.stringContaining('http')])
  expect(JSON.parse((await lectern(['projects', '--json'])).out).results).toEqual([])
})

test('sends LECTERN_API_KEY, else LECTERN_ADMIN_KEY, else the key in the data folder', async () => {
  const code = async (env: Record<string, string>) => (await lectern(['projects'], env)).code
  const unset = { LECTERN_API_KEY: '' }
  expect(await code(unset)).toBe(1)
  expect(await code({ ...unset, LECTERN_ADMIN_KEY: adminKey })).toBe(0)
  await writeFile(join(folder, 'admin-key'), `${adminKey}\n`)
  expect(await code(unset)).toBe(0)
  expect(await code({ ...unset, LECTERN_ADMIN_KEY: 'not-the-admin-key' })).toBe(1)
  expect(await code({ LECTERN_ADMIN_KEY: 'not-the-admin-key' })).toBe(0)
})

test('creates, uses, lists and deletes keys', async () => {
  const { code, out } = await lectern(['keys', 'create', 'reader', 'projects_read', '--json'])
  expect(code).toBe(0)
  const { uuid, key } = JSON.parse(out)
  expect((await lectern(['projects'], { LECTERN_API_KEY: key })).code).toBe(0)
  expect((await lectern(['keys'])).out).toContain(`${uuid}  reader  all       never    projects_read`)
  expect((await lectern(['keys', 'delete', uuid])).code).toBe(0)
  const refused = await lectern(['projects'], { LECTERN_API_KEY: key })
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toMatch(/^lectern: .+\n$/)
})

test('invites members, lists them, changes their role and removes them', async () => {
  const { code, out, err } = await lectern(['members', 'invite', 'ann@d.example', 'viewer'])
  expect([code, err]).toEqual([0, expect.stringContaining('only time')])
  expect((await lectern(['members'])).out).toMatch(/\(invited\) +ann@d\.example +viewer\n$/)
  const team = createTeamService({ store, pageLimit: null, now: () => new Date(), newUuid: randomUUID })
  const accepted = await team.acceptInvitation({ token: out.trim(), name: 'Ann' } as never, {} as never)
  const { uuid } = (accepted as { member: { uuid: string } }).member
  expect((await lectern(['members', 'role', uuid, 'editor'])).out).toBe('Ann is editor now.\n')
  expect((await lectern(['members'])).out).toContain(`${uuid}  Ann   ann@d.example  editor\n`)
  expect(JSON.parse((await lectern(['members', '--json'])).out).results).toMatchObject([
    { uuid, role: 'editor' },
  ])
  expect((await lectern(['members', 'remove', uuid])).code).toBe(0)
  expect(JSON.parse((await lectern(['members', '--json'])).out).results).toEqual([])

  const wrong = await lectern(['members', 'invite', 'ann@d.example', 'king'])
  expect([wrong.code, wrong.err]).toEqual([
    1,
    expect.stringContaining('viewer, editor, maintainer, administrator'),
  ])
  const { uuid: invitation } = JSON.parse(
    (await lectern(['members', 'invite', 'bea@d.example', 'viewer', '--json'])).out,
  )
  expect((await lectern(['members', 'uninvite', invitation])).code).toBe(0)
  expect((await lectern(['members'])).out).not.toContain('bea@')
})

test('starts a sync, waits for it, and exits with a code that reports how it ended', async () => {
  await lectern(['projects', 'add', 'Waited', 'https://docs.example.org/', '--slug', 'waited'])
  const started = JSON.parse((await lectern(['sync', 'waited', '--json'])).out)
  expect(started).toMatchObject({ uuid: expect.any(String), status: 'queued' })
  const waited = await lectern(['sync', 'waited', '--wait', '--json'])
  expect(waited.code).toBe(0)
  expect(JSON.parse(waited.out)).toMatchObject({ status: 'completed' })
  outcome = 'failed'
  const failed = await lectern(['sync', 'waited', '--wait'])
  expect([failed.code, failed.out, failed.err]).toEqual([1, '', expect.stringMatching(/^failed {2}0 of 0/)])
})

test('reports why a source could not be read, with exit code 1', async () => {
  await lectern(['projects', 'add', 'Unread', 'https://docs.example.org/', '--slug', 'unread'])
  errors = ['It does not answer.\u001b[31m']
  const some = await lectern(['sync', 'unread', '--wait'])
  expect([some.code, some.out, some.err]).toEqual([
    ...[1, ''],
    expect.stringMatching(
      /^completed {2}0 of 0.*\n1 source could not be read: It does not answer\.\ufffd\[31m\n$/,
    ),
  ])
  expect((await lectern(['sources', 'unread'])).out).toMatch(
    /^UUID +TYPE +STATE +PAGES +NAME +ERROR\n.* site +failed +0 +https:\S+ +It does not answer\./,
  )
  await lectern(['sources', 'add', 'unread', 'https://docs.example.org/other/', '--name', 'Other'])
  outcome = 'failed'
  errors = ['Not found.', 'Not found either.']
  expect((await lectern(['sync', 'unread', '--wait'])).err).toMatch(
    /^failed {2}0 of 0 pages, 0\/s\n2 sources could not be read:\n {2}https:\S+: Not found\.\n {2}Other: Not found either\.\n$/,
  )
  const added = await lectern(['projects', 'add', 'Unread too', 'https://docs.example.org/', '--wait'])
  expect(added.code).toBe(1)
  await lectern(['projects', 'remove', 'unread'])
  await lectern(['projects', 'remove', 'unread-too'])
})

test.each([
  ['an unknown project', ['sync', 'none'], {}, /^lectern: .*project.*\n$/],
  ['a search in an unknown project', ['search', 'none', 'words'], {}, /^lectern: .*project.*\n$/],
  [
    'no server',
    ['projects'],
    { LECTERN_GRPC: '127.0.0.1:1' },
    /^lectern: no Lectern answers.*LECTERN_GRPC.*\n$/,
  ],
  ['an invalid address', ['projects'], { LECTERN_GRPC: 'here' }, /^lectern: .*LECTERN_GRPC.*\n$/],
])('%s prints one line and exits with code 1', async (_, args, env, line) => {
  expect(await lectern(args, env)).toEqual({ code: 1, out: '', err: expect.stringMatching(line) })
})
