// A site with hostile, broken and huge pages and links to forbidden addresses, crawled by a real process: each reached page has
// exactly one counted and logged outcome, and the process survives. Single cases: crawler/*.test.ts, test/sync/skips.test.ts.
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LecternProcess, startLectern, syncToEnd } from './lectern-process.ts'
import { type Handler, htmlPage, openSite, type Site } from './site.ts'

const megabyte = 1024 * 1024

function answer(body: string | Buffer, headers: Record<string, string | number> = {}): Handler {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', ...headers })
    response.end(body)
  }
}

const redirect =
  (location: string, status = 302): Handler =>
  (_, response) =>
    void response.writeHead(status, { location }).end()

/** Sends until everything is sent or the client disconnects. */
function pour(response: ServerResponse, chunk: Buffer, times: number) {
  if (times === 0 || response.destroyed) return response.end()
  response.write(chunk, () => pour(response, chunk, times - 1))
}

const chain = Array.from({ length: 40 }, (_, at) => `/chain/${at}`)

/** Path → its response, and its skip or failure reason, or `added`. */
const pages: Record<string, [page: string | Handler, outcome: string]> = {
  '/secret.html': [htmlPage('Secret', 'Words.'), 'robots'],
  '/hangs-up.html': [(request) => request.socket.destroy(), 'connection'],
  '/half.html': [
    (request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': 5_000 })
      response.write('<h1>Half', () => request.socket.destroy())
    },
    'connection',
  ],
  '/a': [redirect('/b'), 'redirect'],
  '/b': [redirect('/a', 301), 'redirect'],
  '/self': [redirect('/self', 308), 'connection'],
  ...Object.fromEntries(chain.map((path, at) => [path, [redirect(`/chain/${at + 1}`), 'redirect']])),
  '/huge.html': [
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      pour(response, Buffer.from('<p>words </p>'.repeat(megabyte / 13)), 100)
    },
    'too_large',
  ],
  '/bomb.html': [
    answer(gzipSync(Buffer.alloc(60 * megabyte, 'x ')), { 'content-encoding': 'gzip' }),
    'too_large',
  ],
  '/not-gzip.html': [answer('<h1>Plain</h1>', { 'content-encoding': 'gzip' }), 'parse'],
  '/latin.html': [
    answer(Buffer.from('<meta charset="latin1"><h1>Crèmerie</h1><p>A crèmerie.', 'latin1')),
    'added',
  ],
  '/nonsense.html': [
    answer('<h1>Other</h1><p>Words', { 'content-type': 'text/html; charset=klingon' }),
    'added',
  ],
  '/broken.html': ['<h1>Broken <p>words <table><td>cell <script>if (a </h1>', 'added'],
  '/deep.html': [`<h1>Deep</h1>${'<div>'.repeat(50_000)}words`, 'added'],
  '/noise.html': [answer(randomBytes(megabyte)), 'no_content'],
  '/metadata.html': [redirect('http://169.254.169.254/latest/meta-data/'), 'redirect'],
}

let forbidden: Site
let site: Site
let lectern: LecternProcess

beforeAll(async () => {
  forbidden = await openSite({ '/': htmlPage('Inside', 'Nobody may read this.') })
  site = await openSite(Object.fromEntries(Object.entries(pages).map(([path, [page]]) => [path, page])))
  const links = Object.keys(pages).filter((path) => path !== '/b' && !/^\/chain\/[1-9]/.test(path))
  site.pages.set('/', htmlPage('Start', 'The first page.', [...links, '/inside.html']))
  site.pages.set('/inside.html', redirect(forbidden.url))
  const comment = '# nothing here\n'.repeat((5 * megabyte) / 15)
  site.pages.set('/robots.txt', `User-agent: *\nDisallow: /secret\n${comment}Disallow: /`)
  lectern = await startLectern({ env: { LECTERN_CRAWL_ALLOW: new URL(site.url).host } })
})

afterAll(async () => {
  await lectern.remove()
  await forbidden.close()
  await site.close()
})

interface Outcome {
  type: string
  url: string
  reason: string | null
}

/** Crawls one source in a new project to the end. Returns the run, and the outcome of each page. */
async function crawl(slug: string, source: object) {
  await lectern.call('POST', '/api/v2/projects/', { name: slug })
  const added = await lectern.call('POST', `/api/v2/projects/${slug}/sources/`, source)
  expect(added.status, JSON.stringify(added.body)).toBe(201)
  const run = await syncToEnd(lectern, slug)
  const path = `/api/v2/projects/${slug}/sync/${run.uuid}/events/?limit=100`
  const { body } = await lectern.call('GET', path)
  const outcomes: Outcome[] = body.results.filter(({ type }: Outcome) =>
    /^page_(added|skipped|failed)$/.test(type),
  )
  const { discovered, added: fresh, skipped, failed } = run.pages
  expect(run.pages).toMatchObject({ pending: 0, discovered: fresh! + skipped! + failed! })
  expect(outcomes.length, JSON.stringify(outcomes)).toBe(discovered)
  return { run, outcomes }
}

const shown = ({ type, reason }: Outcome) => reason ?? type.replace('page_', '')

test('gives every page of a hostile site one outcome and requests nothing twice', async () => {
  const { run, outcomes } = await crawl('hostile', { type: 'site', url: site.url })
  expect(run).toMatchObject({ status: 'completed', error: null })
  const byPath = Object.fromEntries(
    outcomes.map((outcome) => [new URL(outcome.url).pathname, shown(outcome)]),
  )
  expect(byPath).toEqual({
    ...Object.fromEntries(Object.entries(pages).map(([path, [, outcome]]) => [path, outcome])),
    ...{ '/': 'added', '/chain/40': 'gone', '/inside.html': 'redirect' },
  })
  // Interrupted responses are retried.
  const asked = site.requests.map(({ path }) => path).filter((path) => byPath[path] !== 'connection')
  expect(asked.length).toBe(new Set(asked).size)
  const path = `/api/v2/projects/hostile/search/?q=${encodeURIComponent('crèmerie')}`
  const { body } = await lectern.call('GET', path)
  expect(new URL(body.results[0].url).pathname).toBe('/latin.html')
})

test('reads no address that is not public, by its name or by a redirect of a source', async () => {
  const { hostname, port } = new URL(forbidden.url)
  for (const [at, url] of [
    forbidden.url,
    `http://localhost:${port}/`,
    `http://[::1]:${port}/`,
    forbidden.url.replace(hostname, '0x7f.1'),
  ].entries()) {
    const { outcomes } = await crawl(`inside-${at}`, { type: 'url', url })
    expect(outcomes.map(shown), url).toEqual(['blocked_address'])
  }
  // The redirect of a source's own address is followed.
  for (const name of ['inside', 'metadata']) {
    const { outcomes } = await crawl(`redirect-${name}`, { type: 'url', url: `${site.url}${name}.html` })
    expect(outcomes.map(shown)).toEqual(['redirect', 'blocked_address'])
  }
  expect(forbidden.requests).toEqual([])
  expect(lectern.process.exitCode).toBeNull()
  expect((await lectern.call('GET', '/readyz')).status).toBe(200)
})
