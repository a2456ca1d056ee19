// Operator commands against a real process: console, status, pages, events, test, recrawl, cancel, projects set, search.
// The commands ask and eval are tested in cli/ask.test.ts and cli/evaluate.test.ts.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli, runHere } from './cli.ts'
import { type LecternProcess, startLectern } from './lectern-process.ts'
import { htmlPage, openSite, type Site } from './site.ts'

let lectern: LecternProcess
let site: Site

beforeAll(async () => {
  site = await openSite({
    '/': htmlPage('Start', 'Where everything begins, in a sentence long enough.', ['a.html', 'gone.html']),
    '/a.html': htmlPage('Apples', 'A text about apples that is long enough to be indexed.'),
  })
  lectern = await startLectern({ crawlsManual: true })
  expect((await cli('projects', 'add', 'Guide', site.url, '--wait')).code).toBe(0)
  expect((await cli('sync', 'manual', '--wait')).code).toBe(0)
})
afterAll(async () => {
  await lectern?.remove()
  await site?.close()
})

const cli = (...args: string[]) => runHere(args, { LECTERN_GRPC: lectern.grpc })

/** Parses the output of a command that prints one document. */
const jsonOf = async (...args: string[]) => {
  const ran = await cli(...args, '--json')
  expect([ran.code, ran.err]).toEqual([0, ''])
  return JSON.parse(ran.out)
}

test('--version prints the version', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(await runCli(['--version'], {})).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

test('console prints a link that signs in once', async () => {
  const { code, out } = await runCli(['console'], { LECTERN_GRPC: lectern.grpc })
  expect([code, out]).toEqual([0, expect.stringMatching(/^http\S+\/console\/#link=[\w-]{43}\n$/)])
  const token = out.trim().split('#link=')[1]!
  const signIn = () => lectern.call('POST', '/api/v2/keys/sign-in/', { token })
  expect((await signIn()).status).toBe(201)
  expect((await signIn()).status).toBe(404)
  expect((await jsonOf('console')).url).toMatch(/^http\S+\/console\/#link=[\w-]{43}$/)
})

test('status prints drivers and projects', async () => {
  const { code, out } = await cli('status')
  expect(code).toBe(0)
  expect(out).toMatch(/^Lectern \d.*\nstore +sqlite\nindex +segments\nruns +local\nmodel +extractive\n/)
  expect(out).toMatch(
    /\nSLUG +PAGES +EMBEDDED +LAST SYNC +NEXT SYNC\nguide +2 +off +completed +not scheduled\n/,
  )
  const { projects } = await jsonOf('status')
  expect(projects.map((project: { slug: string }) => project.slug)).toContain('guide')
})

test('pages lists addresses and explains one', async () => {
  const { code, out } = await cli('pages', 'guide')
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /^STATUS.*\nskipped +gone +0 +\S+gone\.html\nindexed +1 +\S+\/\nindexed +1 +\S+a\.html\n$/,
    ),
  ])
  const listed = await jsonOf('pages', 'guide', '--status', 'skipped', '--reason', 'gone')
  expect(listed).toMatchObject({ count: 1, results: [{ url: `${site.url}gone.html` }] })
  expect((await cli('pages', 'guide', `${site.url}gone.html`)).out).toMatch(
    /^skipped {2}\S+gone\.html\nSkipped on .* \(gone\): The server answered 404\.\nLinked from \S+\/\n$/,
  )
  expect(await jsonOf('pages', 'guide', `${site.url}a.html`)).toMatchObject({ status: 'indexed' })
  expect((await cli('pages', 'guide', '-n', '1')).err).toBe('1 of 3 are shown: --limit shows more.\n')
})

test('events prints the filtered log of the latest run', async () => {
  const { out } = await cli('events', 'guide', '--type', 'page_skipped')
  expect(out).toMatch(/^TIME.*\n\S+Z +info +page_skipped +gone +The server answered 404\. +\S+gone\.html\n$/)
  const { results } = await jsonOf('events', 'guide', '--url', `${site.url}a.html`)
  expect(results).toMatchObject([{ type: 'page_added' }])
})

test('test prints what a crawl would do, and fails unless the page would be indexed', async () => {
  const { out, code } = await cli('test', 'guide', `${site.url}a.html`)
  expect([code, out]).toEqual([0, expect.stringMatching(/^indexed {2}\S+a\.html\n.+\nApples\n {2}Apples\n/)])
  const gone = await cli('test', 'guide', `${site.url}gone.html`, '--json')
  expect([gone.code, JSON.parse(gone.out)]).toMatchObject([1, { outcome: 'skipped', reason: 'gone' }])
  const [first] = (await lectern.call('GET', '/api/v2/projects/guide/sources/')).body.results
  const source = ['--source', first.uuid]
  expect((await cli('test', 'guide', `${site.url}a.html`, ...source)).code).toBe(0)
  const excluded = await cli('test', 'guide', `${site.url}a.html`, ...source, '--exclude', '**/a.html')
  expect([excluded.code, excluded.out]).toEqual([1, expect.stringMatching(/^(skipped|outside) /)])
  expect((await cli('test', 'guide', 'nowhere')).err).toMatch(
    /^error: command-argument value 'nowhere' is invalid/,
  )
})

test('recrawl waits for the outcome', async () => {
  const same = await cli('recrawl', 'guide', `${site.url}a.html`, '--wait')
  expect([same.code, same.out]).toEqual([0, expect.stringMatching(/ is unchanged\.\n$/)])
  const gone = await cli('recrawl', 'guide', `${site.url}gone.html`, '--wait')
  expect([gone.code, gone.out]).toEqual([
    1,
    expect.stringMatching(/ is dropped \(gone\)\.\nThe server answered 404\.\n$/),
  ])
  expect(await jsonOf('recrawl', 'guide', `${site.url}a.html`)).toHaveProperty('status')
})

test('cancel ends the latest run', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  site.pages.set('/a.html', () => resolve())
  const { uuid } = await jsonOf('sync', 'guide')
  await asked
  expect(await cli('cancel', 'guide')).toEqual({ code: 0, out: `Sync ${uuid} is cancelled.\n`, err: '' })
  const again = await cli('cancel', 'guide', uuid)
  expect([again.code, again.err]).toEqual([1, expect.stringMatching(/^lectern: .+\n$/)])
})

test('projects set changes only the named settings', async () => {
  const settings = ['--name', 'The guide', '--mcp', 'on', '--retention-days', '30', '--schedule', '0 3 * * *']
  const domains = ['--private', 'on', '--allowed-domains', 'a.example', '*.b.example']
  const set = await cli('projects', 'set', 'guide', ...settings, ...domains)
  expect(set).toEqual({ code: 0, out: 'Changed project guide.\n', err: '' })
  const project = await jsonOf('projects', 'set', 'guide', '--schedule', 'none', '--allowed-domains', 'none')
  expect(project).toMatchObject({
    name: 'The guide',
    is_private: true,
    allowed_domains: [],
    config: { mcp: { enabled: true }, retention_days: 30, sync: { schedule: null } },
  })
  await cli('projects', 'set', 'guide', '--private', 'off', '--retention-days', 'none')
})

test.each([
  [
    ['projects', 'set', 'guide', '--schedule', 'daily'],
    /^lectern: --schedule must be a five-field cron line/,
  ],
  [
    ['projects', 'set', 'guide', '--allowed-domains', 'https://a.example'],
    /^lectern: --allowed-domains must be a host/,
  ],
  [
    ['projects', 'set', 'guide', '--mcp', 'yes'],
    /argument '--mcp <on\|off>'|option '--mcp <on\|off>'.* It must be on or off\./,
  ],
  [['projects', 'set', 'guide'], /Name at least one setting/],
  [['sources', 'add', 'guide', 'ftp://a.example'], /^lectern: url must be an http or https address\.\n$/],
  [['recrawl', 'guide', 'a.html'], /argument 'url'\. It must be an http or https address\./],
  [
    ['keys', 'create', 'k', 'sync_raed'],
    /^lectern: permission “sync_raed” is unknown, the nearest is sync_read\.\n$/,
  ],
  [['pages', 'guid'], /^lectern: .* Did you mean guide\?\n$/],
  [['sync', 'nothing-like-it'], /^lectern: (?!.*Did you mean).*\n$/],
  [['statsu'], /unknown command 'statsu'\s+\(Did you mean status\?\)/],
])('%j reports its error', async (args, line) => {
  expect(await cli(...args)).toEqual({ code: 1, out: '', err: expect.stringMatching(line) })
})

test('search includes uploaded files by default', async () => {
  await cli(
    'sources',
    'add',
    'guide',
    '--type',
    'file',
    fileURLToPath(new URL('../../README.md', import.meta.url)),
  )
  site.pages.set('/a.html', htmlPage('Apples', 'A text about apples that is long enough to be indexed.'))
  expect((await cli('sync', 'guide', '--wait')).code).toBe(0)
  expect((await cli('search', 'guide', 'Lectern')).out).toMatch(/^1\. /)
  expect((await cli('search', 'guide', 'Lectern', '--scope', 'site')).out).toBe('Nothing found.\n')
})
