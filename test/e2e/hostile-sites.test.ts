// Sites that are down, slow, endless, huge, mis-encoded or hostile, crawled by a real process: every page that was
// reached has one counted, logged outcome, and the process lives.
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LecternProcess, runEnded, startLectern } from './lectern-process.ts'
import { type Handler, htmlPage, openSite, type Site } from './site.ts'

const megabyte = 1024 * 1024

type Answers = Record<string, string | Handler>

interface Case {
  /** What the site answers; `host` of a site that must not be reached is known when all are open. */
  pages: (forbidden: string) => Answers
  source?: { type: string; path: string; max_pages?: number }
  /** Path → skip or failure reason, or `added`: of all pages that are reached. */
  outcomes: Record<string, string>
  /** Nothing is asked for twice. */
  askedOnce?: true
  /** A word that search must find, and the path of the page that has it. */
  finds?: [word: string, path: string]
}

const page = (...links: string[]) => htmlPage('Start', 'The first page.', links)

function answer(body: string | Buffer, headers: Record<string, string | number> = {}): Handler {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', ...headers })
    response.end(body)
  }
}

const redirect =
  (location: string, status = 302): Handler =>
  (_, response) => {
    response.writeHead(status, { location })
    response.end()
  }

/** Sends until all is sent or the reader hangs up. */
function pour(response: ServerResponse, chunk: Buffer, times: number) {
  if (times === 0 || response.destroyed) return response.end()
  response.write(chunk, () => pour(response, chunk, times - 1))
}

const huge: Handler = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' })
  pour(response, Buffer.from('<p>words </p>'.repeat(megabyte / 13)), 100)
}

const drip: Handler = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' })
  const timer = setInterval(() => response.write('<p>.</p>'), 500)
  response.on('close', () => clearInterval(timer))
}

/** Path → the same outcome for each of `count` pages. */
const each = (count: number, path: (at: number) => string, outcome: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [path(at), outcome]))

/** Each page names the next one only. */
const endless: Answers = {}
for (let at = 0; at < 200; at++)
  endless[`/e${at}.html`] = htmlPage(`Page ${at}`, `Words ${at}`, [`/e${at + 1}.html`])

const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join(
  '',
)
const bomb = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY l0 "http://x.example/">${laughs}]>
<urlset><url><loc>&l9;</loc></url><url><loc>/listed.html</loc></url></urlset>`

const cases: Record<string, Case> = {
  'that never answers, or only drop by drop': {
    pages: () => ({ '/': page('/silent.html', '/drip.html'), '/silent.html': () => {}, '/drip.html': drip }),
    outcomes: { '/': 'added', '/silent.html': 'timeout', '/drip.html': 'timeout' },
  },
  'that hangs up': {
    pages: () => ({
      '/': page('/a.html', '/b.html'),
      '/a.html': (request) => request.socket.destroy(),
      '/b.html': (request, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': 5_000 })
        response.write('<h1>Half', () => request.socket.destroy())
      },
    }),
    outcomes: { '/': 'added', '/a.html': 'connection', '/b.html': 'connection' },
  },
  'with redirects that loop or go on without end': {
    pages: () => ({
      '/': page('/a', '/self', '/chain/0'),
      '/a': redirect('/b'),
      '/b': redirect('/a', 301),
      '/self': redirect('/self', 308),
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [`/chain/${at}`, redirect(`/chain/${at + 1}`)]),
      ),
    }),
    outcomes: {
      '/': 'added',
      '/a': 'redirect',
      '/b': 'redirect',
      '/self': 'connection',
      ...each(40, (at) => `/chain/${at}`, 'redirect'),
      '/chain/40': 'gone',
    },
    askedOnce: true,
  },
  'with links without end': {
    pages: () => ({ '/': page('/e0.html'), ...endless }),
    source: { type: 'site', path: '', max_pages: 100 },
    outcomes: { '/': 'added', ...each(99, (at) => `/e${at}.html`, 'added'), '/e99.html': 'page_limit' },
    askedOnce: true,
  },
  'with pages too large, packed or not': {
    pages: () => ({
      '/': page('/huge.html', '/bomb.html', '/not-gzip.html'),
      '/huge.html': huge,
      '/bomb.html': answer(gzipSync(Buffer.alloc(60 * megabyte, 'x ')), { 'content-encoding': 'gzip' }),
      '/not-gzip.html': answer('<h1>Plain</h1>', { 'content-encoding': 'gzip' }),
    }),
    outcomes: {
      '/': 'added',
      '/huge.html': 'too_large',
      '/bomb.html': 'too_large',
      '/not-gzip.html': 'parse',
    },
  },
  'that lies about its charset': {
    pages: () => ({
      '/': page('/latin.html', '/nonsense.html'),
      '/latin.html': answer(Buffer.from('<meta charset="latin1"><h1>Crèmerie</h1><p>A crèmerie.', 'latin1')),
      '/nonsense.html': answer('<h1>Other</h1><p>Words', { 'content-type': 'text/html; charset=klingon' }),
    }),
    outcomes: { '/': 'added', '/latin.html': 'added', '/nonsense.html': 'added' },
    finds: ['crèmerie', '/latin.html'],
  },
  'that is no HTML': {
    pages: () => ({
      '/': '<p>Start</b><table><a href=/broken.html>x<a href=/deep.html>y<a href=/noise.html>z<a href="/\0">',
      '/broken.html': '<h1>Broken <p>words <table><td>cell <script>if (a </h1>',
      '/deep.html': `<h1>Deep</h1>${'<div>'.repeat(50_000)}words`,
      '/noise.html': answer(randomBytes(megabyte)),
    }),
    outcomes: { '/': 'added', '/broken.html': 'added', '/deep.html': 'added', '/noise.html': 'no_content' },
  },
  'with a robots.txt of 5 MB': {
    pages: () => ({
      '/robots.txt': `User-agent: *\nDisallow: /secret\n${'# nothing here\n'.repeat((5 * megabyte) / 15)}Disallow: /`,
      '/': page('/secret.html', '/open.html'),
      '/secret.html': page(),
      '/open.html': htmlPage('Open', 'Words.'),
    }),
    outcomes: { '/': 'added', '/open.html': 'added', '/secret.html': 'robots' },
  },
  'with entity bombs in its sitemap': {
    pages: () => ({ '/sitemap.xml': bomb, '/listed.html': page() }),
    source: { type: 'sitemap', path: 'sitemap.xml' },
    // The entity stays as it is written: an address of the site that has no page.
    outcomes: { '/&l9;': 'gone', '/listed.html': 'added' },
  },
  'that leads to addresses which are not public': {
    pages: (forbidden) => ({
      '/': page('/inside.html', '/metadata.html', '/open.html'),
      '/inside.html': redirect(`http://${forbidden}/`),
      '/metadata.html': redirect('http://169.254.169.254/latest/meta-data/'),
      '/open.html': htmlPage('Open', 'Words.'),
    }),
    outcomes: {
      '/': 'added',
      '/inside.html': 'redirect',
      '/metadata.html': 'redirect',
      '/open.html': 'added',
    },
  },
}

let forbidden: Site
let sites: Map<string, Site>
let lectern: LecternProcess

beforeAll(async () => {
  forbidden = await openSite({ '/': htmlPage('Inside', 'Nobody may read this.') })
  const inside = new URL(forbidden.url).host
  sites = new Map()
  for (const [name, { pages }] of Object.entries(cases)) sites.set(name, await openSite(pages(inside)))
  const allowed = [...sites.values(), { url: 'http://127.0.0.1:1/' }].map(({ url }) => new URL(url).host)
  lectern = await startLectern({ env: { LECTERN_CRAWL_ALLOW: allowed.join(',') } })
})

afterAll(async () => {
  await lectern.remove()
  for (const site of [forbidden, ...sites.values()]) await site.close()
})

interface Outcome {
  type: string
  url: string
  reason: string | null
  message: string
}

let projects = 0

/** Crawls one source in a project of its own to the end; answers the run, and the outcome of each page. */
async function crawl(source: object) {
  const slug = `hostile-${++projects}`
  await lectern.call('POST', '/api/v2/projects/', { name: slug })
  const added = await lectern.call('POST', `/api/v2/projects/${slug}/sources/`, source)
  expect(added.status, JSON.stringify(added.body)).toBe(201)
  const { body: summary } = await lectern.call('POST', `/api/v2/projects/${slug}/sync/`)
  const run = await runEnded(lectern, slug, summary.uuid)
  const path = `/api/v2/projects/${slug}/sync/${run.uuid}/events/?limit=100`
  const outcomes: Outcome[] = []
  for (let offset = 0, count = 1; offset < count; offset += 100) {
    const { body } = await lectern.call('GET', `${path}&offset=${offset}`)
    count = body.count
    outcomes.push(...body.results.filter(({ type }: Outcome) => /^page_(added|skipped|failed)$/.test(type)))
  }
  const { discovered, pending, added: fresh, skipped, failed } = run.pages
  expect(run.pages).toMatchObject({ pending: 0, discovered: fresh! + skipped! + failed! + pending! })
  expect(outcomes.length, JSON.stringify(outcomes)).toBe(discovered)
  expect(new Set(outcomes.map(({ url }) => url)).size).toBe(discovered)
  return { slug, run, outcomes }
}

const shown = ({ type, reason }: Outcome) => reason ?? type.replace('page_', '')

test.concurrent.each(Object.entries(cases))(
  'a site %s',
  async (name, { source, outcomes: expected, askedOnce, finds }) => {
    const { url, requests } = sites.get(name)!
    const { path = '', ...more } = source ?? { type: 'site' }
    const { slug, run, outcomes } = await crawl({ url: url + path, ...more })
    expect(run).toMatchObject({ status: 'completed', error: null })
    const byPath = Object.fromEntries(
      outcomes.map((outcome) => [new URL(outcome.url).pathname, shown(outcome)]),
    )
    expect(byPath).toEqual(expected)
    if (askedOnce) expect(requests.length).toBe(new Set(requests.map(({ path }) => path)).size)
    if (finds) {
      const { body } = await lectern.call(
        'GET',
        `/api/v2/projects/${slug}/search/?q=${encodeURIComponent(finds[0])}`,
      )
      expect(new URL(body.results[0].url).pathname).toBe(finds[1])
    }
  },
  80_000,
)

test.concurrent('a site that is down', async () => {
  const { outcomes } = await crawl({ type: 'site', url: 'http://127.0.0.1:1/' })
  expect(outcomes.map(shown)).toEqual(['connection'])
})

test.concurrent('hosts with addresses that are not public', async () => {
  for (const url of [
    forbidden.url,
    forbidden.url.replace('127.0.0.1', 'localhost'),
    'http://[::1]/',
    'http://0x7f.1/',
  ]) {
    const { outcomes } = await crawl({ type: 'url', url })
    expect(outcomes.map(shown), url).toEqual(['blocked_address'])
  }
})

test.concurrent.each(['inside.html', 'metadata.html'])(
  'a page that redirects to an address which is not public: %s',
  async (path) => {
    const { url } = sites.get('that leads to addresses which are not public')!
    // The redirect of a source's own address is followed.
    const { outcomes } = await crawl({ type: 'url', url: url + path })
    expect(outcomes.map(shown)).toEqual(['redirect', 'blocked_address'])
  },
)

test('nothing was asked of the site that must not be reached, and the process lives', async () => {
  expect(forbidden.requests).toEqual([])
  expect(lectern.process.exitCode).toBeNull()
  expect((await lectern.call('GET', '/readyz')).status).toBe(200)
})
