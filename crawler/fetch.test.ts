import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Answers, type Loopback, openLoopback } from '../test/loopback/loopback.ts'
import { readAllowList } from './address.ts'
import { createFetcher } from './fetch.ts'
import type { Reading } from './fetch-result.ts'

async function serve(answers: Answers): Promise<Loopback> {
  const site = await openLoopback(answers)
  onTestFinished(site.close)
  return site
}

function fetcherOf(options: Partial<Parameters<typeof createFetcher>[0]> = {}) {
  const fetcher = createFetcher({ allow: readAllowList('127.0.0.1'), ...options })
  onTestFinished(fetcher.close)
  return fetcher
}

const text = (result: Reading) =>
  result.kind === 'document' ? new TextDecoder().decode(result.body) : result

test('returns the body of a page and the relevant headers, and sends its user agent', async () => {
  let agent: string | undefined
  const { origin } = await serve({
    '/a?b=1': (request, response) => {
      agent = request.headers['user-agent']
      response.writeHead(200, {
        ...{
          'content-type': 'text/html; charset=latin1',
          etag: '"1"',
          'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT',
        },
        ...{ 'x-robots-tag': ['noindex', 'nofollow'], 'content-language': 'de' },
      })
      response.end('hello')
    },
  })
  const page = await fetcherOf().fetchPage(`${origin}/a?b=1`)
  expect(page).toMatchObject({
    kind: 'document',
    contentType: 'text/html; charset=latin1',
    etag: '"1"',
    lastModified: 'Mon, 01 Jan 2024 00:00:00 GMT',
    robotsTag: 'noindex, nofollow',
    language: 'de',
  })
  expect(text(page)).toBe('hello')
  expect(agent).toMatch(/^Lectern\//)
})

test('sends validators, and accepts 304 only then', async () => {
  const { origin } = await serve({
    '/a': (request, response) => {
      const same =
        request.headers['if-none-match'] === '"1"' && request.headers['if-modified-since'] === 'then'
      response.writeHead(same ? 304 : 200, { 'content-type': 'text/html' }).end()
    },
    '/odd': (_request, response) => response.writeHead(304).end(),
  })
  const fetcher = fetcherOf()
  expect(await fetcher.fetchPage(`${origin}/a`, { etag: '"1"', lastModified: 'then' })).toEqual({
    kind: 'unchanged',
  })
  expect((await fetcher.fetchPage(`${origin}/a`)).kind).toBe('document')
  expect((await fetcher.fetchPage(`${origin}/odd`)).kind).toBe('failed')
})

test.each([
  [404, { kind: 'gone', status: 404 }],
  [410, { kind: 'gone', status: 410 }],
  [403, { kind: 'failed', reason: 'http_4xx', answered: true }],
  [500, { kind: 'failed', reason: 'http_5xx', answered: true }],
  [204, { kind: 'skipped', reason: 'no_content' }],
])('status %i', async (status, expected) => {
  const { origin } = await serve({ '/': (_request, response) => response.writeHead(status).end() })
  expect(await fetcherOf().fetchPage(`${origin}/`)).toMatchObject(expected)
})

test('skips a response that is not a text document, without waiting for its body', async () => {
  const { origin } = await serve({
    '/a': (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' })
      response.write('never ends')
    },
  })
  expect(await fetcherOf().fetchPage(`${origin}/a`)).toEqual({
    kind: 'skipped',
    status: 200,
    reason: 'no_content',
    message: 'It is not a text document.',
    answered: true,
  })
})

const codings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: zstdCompressSync }

test.each(Object.entries(codings))('decodes %s', async (coding, encode) => {
  const { origin } = await serve({
    '/': (_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(encode('hello')),
  })
  expect(text(await fetcherOf().fetchPage(`${origin}/`))).toBe('hello')
})

test.each(Object.entries(codings))('rejects a %s bomb as too large', async (coding, encode) => {
  const bomb = encode(Buffer.alloc(8 * 1024 * 1024))
  const { origin } = await serve({
    '/': (_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(bomb),
  })
  const result = await fetcherOf({ maxBytes: 1024 * 1024 }).fetchPage(`${origin}/`)
  expect(result).toMatchObject({ kind: 'failed', reason: 'too_large', answered: true })
})

test.each(['gzip', 'br', 'deflate', 'zstd', 'unheard-of', 'gzip, gzip, gzip'])(
  'reports an invalid body encoded as %s as unreadable',
  async (coding) => {
    const { origin } = await serve({
      '/': (_request, response) => response.writeHead(200, { 'content-encoding': coding }).end('plain text'),
    })
    expect(await fetcherOf().fetchPage(`${origin}/`)).toMatchObject({
      kind: 'failed',
      reason: 'parse',
      answered: true,
    })
  },
)

test('rejects an endless body, and one with a length beyond the limit, as too large', async () => {
  const { origin } = await serve({
    '/endless': (_request, response) => {
      const chunk = Buffer.alloc(64 * 1024)
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', more)
      more()
    },
    '/long': (_request, response) => {
      response.writeHead(200, { 'content-length': 10_000_000 })
      response.write('a')
    },
  })
  const fetcher = fetcherOf({ maxBytes: 1024 * 1024 })
  for (const path of ['/endless', '/long']) {
    expect(await fetcher.fetchPage(origin + path)).toMatchObject({
      kind: 'failed',
      reason: 'too_large',
      answered: true,
    })
  }
})

test('times out for a server that never responds, and for one that sends slowly', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const [asked, headed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const note = () => headed.resolve()
  subscribe('undici:request:headers', note)
  onTestFinished(() => void unsubscribe('undici:request:headers', note))
  const { origin } = await serve({
    '/silent': () => asked.resolve(),
    '/drip': (_request, response) => {
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    },
  })
  const fetcher = fetcherOf({ timeoutMs: 5_000 })
  for (const [path, arrived, answered] of [
    ['/silent', asked.promise, false],
    ['/drip', headed.promise, true],
  ] as const) {
    const result = fetcher.fetchPage(origin + path)
    await arrived
    await new Promise(setImmediate)
    vi.advanceTimersByTime(5_000)
    expect(await result).toMatchObject({ reason: 'timeout', answered })
  }
})

test('fails on a flood of headers, a truncated body and a response that is no HTTP', async () => {
  const raw = (head: string) => (request: { socket: { end(text: string): void } }) => request.socket.end(head)
  const { origin } = await serve({
    '/flood': raw(
      `HTTP/1.1 200 OK\r\n${'x-a: '.padEnd(1_000, 'a')}\r\n`.replace(/(x-a.*\r\n)/, (line) =>
        line.repeat(100),
      ),
    ),
    '/short': raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'),
    '/noise': raw('220 mail.example ESMTP\r\n\r\n'),
  })
  const fetcher = fetcherOf()
  expect(await fetcher.fetchPage(`${origin}/flood`)).toMatchObject({ kind: 'failed', reason: 'too_large' })
  expect(await fetcher.fetchPage(`${origin}/short`)).toMatchObject({
    kind: 'failed',
    reason: 'connection',
    answered: true,
  })
  expect(await fetcher.fetchPage(`${origin}/noise`)).toMatchObject({ kind: 'failed', reason: 'parse' })
})

const moved = (to: string) => (_request: unknown, response: ServerResponse) =>
  response.writeHead(302, { location: to }).end()

test('returns a redirect of a page, normalized, and follows that of a file', async () => {
  const { origin } = await serve({
    '/a': moved('/b'),
    '/b': moved('c?utm_source=x#y'),
    '/c?utm_source=x': 'there',
  })
  const fetcher = fetcherOf()
  expect(await fetcher.fetchPage(`${origin}/b`)).toEqual({ kind: 'redirect', status: 302, to: `${origin}/c` })
  expect(text(await fetcher.fetchPage(`${origin}/a`, { as: 'file' }))).toBe('there')
})

test('fails on redirects that form a loop, never end or lead nowhere', async () => {
  const chain = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`/${at}`, moved(`/${at + 1}`)]))
  const site = await serve({
    ...chain,
    '/x': moved('/y'),
    '/y': moved('/x'),
    '/self': moved('/self'),
    '/odd': moved('file:///etc/passwd'),
  })
  const fetcher = fetcherOf()
  for (const path of ['/0', '/x', '/self', '/odd']) {
    expect(await fetcher.fetchPage(site.origin + path, { as: 'file' })).toMatchObject({
      kind: 'failed',
      answered: true,
    })
  }
  for (const path of ['/self', '/odd']) {
    expect(await fetcher.fetchPage(site.origin + path)).toMatchObject({ kind: 'failed', answered: true })
  }
  expect(site.asked.filter((path) => /^\/\d+$/.test(path))).toHaveLength(11)
})

test('does not follow a redirect to a private address', async () => {
  const inner = await serve({ '/secret': 'secret' })
  const outer = await serve({
    '/a': moved(`http://localhost:${inner.port}/secret`),
    '/b': moved('http://169.254.169.254/'),
  })
  const fetcher = fetcherOf()
  for (const path of ['/a', '/b']) {
    expect(await fetcher.fetchPage(outer.origin + path, { as: 'file' })).toMatchObject({
      reason: 'blocked_address',
    })
  }
  expect(inner.asked).toEqual([])
})

test('retries a busy host after the time it names, three times in all', async () => {
  let left = 1
  const busy = await serve({
    '/soon': (_request, response) =>
      left-- > 0 ? response.writeHead(503, { 'retry-after': '7' }).end() : response.end('here'),
    '/never': (_request, response) => response.writeHead(429, { 'retry-after': '7' }).end(),
    '/plain': (_request, response) => response.writeHead(429).end(),
  })
  let time = 0
  const clock = {
    now: () => time,
    wait: async (ms: number) => {
      time += ms
    },
  }
  const fetcher = fetcherOf({ clock })
  expect(text(await fetcher.fetchPage(`${busy.origin}/soon`))).toBe('here')
  expect(time).toBe(7_000)
  const never = await fetcher.fetchPage(`${busy.origin}/never`)
  expect(never).toMatchObject({ reason: 'http_4xx', answered: true })
  expect(busy.asked.filter((path) => path === '/never')).toHaveLength(3)
  expect(await fetcher.fetchPage(`${busy.origin}/plain`)).toMatchObject({ reason: 'http_4xx' })
  expect(busy.asked.filter((path) => path === '/plain')).toHaveLength(1)
})

test('ends an aborted call at once, and sends no call that waits behind it', async () => {
  let arrived = () => {}
  const first = new Promise<void>((done) => {
    arrived = done
  })
  const site = await serve({ '/slow': () => arrived() })
  const fetcher = fetcherOf({ maxConnectionsPerHost: 1 })
  const stop = new AbortController()
  const calls = ['/slow', '/next', '/last'].map((path) =>
    fetcher.fetchPage(site.origin + path, { signal: stop.signal }),
  )
  const ends = Promise.allSettled(calls)
  await first
  stop.abort(new Error('stopped'))
  for (const end of await ends)
    expect(end).toMatchObject({ status: 'rejected', reason: { message: 'stopped' } })
  await wait(20)
  expect(site.asked).toEqual(['/slow'])
})

test('ends at its timeout, and at once when aborted, while the host name is still being resolved', async () => {
  const lookup = () => new Promise<never>(() => {})
  const slow = fetcherOf({ lookup, timeoutMs: 50 })
  expect(await slow.fetchPage('http://docs.test/')).toMatchObject({ reason: 'timeout', answered: false })
  const stop = new AbortController()
  const call = fetcherOf({ lookup }).fetchPage('http://docs.test/', { signal: stop.signal })
  const end = expect(call).rejects.toThrow('stopped')
  setImmediate(() => stop.abort(new Error('stopped')))
  await end
})

test('reuses the connection after responses without a page', async () => {
  const ports = new Set<number | undefined>()
  const answer =
    (status: number, body = '') =>
    (request: IncomingMessage, response: ServerResponse) => {
      ports.add(request.socket.remotePort)
      response.writeHead(status, { location: '/elsewhere', 'content-type': 'image/png' }).end(body)
    }
  const { origin } = await serve({
    '/304': answer(304),
    '/404': answer(404, 'no'),
    '/302': answer(302, 'go'),
    '/png': answer(200, 'x'),
  })
  const fetcher = fetcherOf({ maxConnectionsPerHost: 1 })
  for (const path of ['/304', '/404', '/302', '/png', '/304', '/404']) {
    await fetcher.fetchPage(origin + path, { etag: '"1"' })
  }
  expect(ports.size).toBe(1)
})

test('owns the memory of a body, so that it can be transferred to another thread', async () => {
  const { origin } = await serve({ '/': 'small' })
  const page = await fetcherOf().fetchPage(`${origin}/`)
  expect(page.kind === 'document' && page.body.byteLength === page.body.buffer.byteLength).toBe(true)
})
