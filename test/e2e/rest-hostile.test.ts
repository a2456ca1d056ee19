// Misbehaving clients over bare sockets: the gateway answers or closes the connection, and continues to serve.
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { openTestGateway } from './gateway/lectern-gateway.ts'

const gateway = await openTestGateway()
afterEach(async () => {
  // After every request, the next client is served and no error is logged.
  expect((await gateway.ask('GET', '/healthz')).status).toBe(200)
  expect(gateway.logged).toEqual([])
})
afterAll(() => gateway.close())

const host = 'Host: l.example\r\n'
const big = 'x'.repeat(2 * 1024 * 1024)

/** Sends the text and returns what arrives until `enough` accepts it or the peer closes. */
function send(text: string, enough: (answer: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(gateway.port, '127.0.0.1', () => {
      if (enough === nothing) socket.end(text)
      else socket.write(text)
    })
    socket.on('data', (data) => {
      answer += data
      if (enough(answer)) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
  })
}

/** The complete request is sent. */
const nothing = () => false
const headed = (answer: string) => answer.includes('\r\n\r\n')
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)

/** A request that creates a project. */
const post = (headers: string, body: string) =>
  `POST /api/v2/projects/ HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n${body}`

it.each<[string, number]>([
  ['/api/v2/projects/%zz/', 404],
  ['/api/v2/projects/%00/', 404],
  ['/api/v2/projects/%E4%B8/search/?q=x', 404],
  ['/api/v2/projects/open/search/?q=%zz%E4%', 200],
  ['/api/v2/projects/open/search/?q=ü&&&=&=x&%', 200],
  ['/api/v2/projects/open/search/?q=x#y', 200],
  ['/../../etc/passwd', 404],
  ['/manual/../../package.json', 404],
  ['/manual/%2e%2e/%2e%2e/package.json', 404],
  ['//', 404],
  ['/api/v2/projects/'.padEnd(9000, 'a'), 404],
  [`/api/v2/projects/open/search/?q=x&url=${'y'.repeat(4000)}`, 200],
])('paths and queries %s → %i', async (path, status) => {
  const answer = await send(`GET ${path} HTTP/1.1\r\n${host}\r\n`, headed)
  expect(statusOf(answer), answer).toBe(status)
})

describe('requests', () => {
  it.each([
    ['no request at all', 'hello\r\n\r\n'],
    ['an old version', `GET / HTTP/1.0\r\n${host}\r\n`],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['an absolute address', `GET http://l.example/healthz HTTP/1.1\r\n${host}\r\n`],
    ['headers beyond measure', `GET /healthz HTTP/1.1\r\n${host}X: ${big}\r\n\r\n`],
    ['an invalid length', `POST /api/v2/projects/ HTTP/1.1\r\n${host}Content-Length: x\r\n\r\n{}`],
    [
      'two lengths',
      `POST /api/v2/projects/ HTTP/1.1\r\n${host}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    ],
    ['binary', String.fromCharCode(22, 3, 1, 0, 255, 0, 0, 1)],
  ])('%s is rejected', async (_, text) => {
    const answer = await send(text, nothing)
    expect([0, 400, 431, 505]).toContain(statusOf(answer))
  })

  it('an empty host is accepted', async () => {
    const answer = await send('GET /api/v2/projects/ HTTP/1.1\r\nHost:\r\n\r\n', headed)
    expect(statusOf(answer)).toBe(401)
  })

  it('an unknown method returns 405', async () => {
    expect(statusOf(await send(`BREW /healthz HTTP/1.1\r\n${host}\r\n`, headed))).toBe(405)
  })

  it('two pipelined requests are answered, or the connection is closed', async () => {
    const one = `GET /api/v2/projects/open/search/?q=x HTTP/1.1\r\n${host}\r\n`
    const answer = await send(one.repeat(2), (text) => text.split('HTTP/1.1').length > 2)
    expect([0, 200]).toContain(statusOf(answer))
  })

  it('HEAD returns the length of GET and no body', async () => {
    const get = await gateway.ask('GET', '/api/v2/projects/open/')
    const length = (await get.arrayBuffer()).byteLength
    const answer = await send(
      `HEAD /api/v2/projects/open/ HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
      headed,
    )
    expect(statusOf(answer)).toBe(200)
    expect(answer).toMatch(new RegExp(`content-length: ${length}\\r\\n`, 'i'))
    expect(answer.endsWith('\r\n\r\n')).toBe(true)
  })

  it('OPTIONS answers as a preflight, on unknown paths too', async () => {
    for (const path of ['/api/v2/keys/', '/api/v2/nothing/']) {
      const { status, headers } = await gateway.ask('OPTIONS', path)
      expect(status).toBe(204)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-methods')).toContain('POST')
      expect(headers.get('access-control-allow-headers')).toBe(
        'authorization, content-type, x-chat-restore-token, x-lectern-team',
      )
    }
  })
})

describe('bodies', () => {
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

  it('of exactly 1 MiB are accepted', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(1024 * 1024 - 11) })
    expect(body).toHaveLength(1024 * 1024)
    expect((await gateway.ask('POST', '/api/v2/projects/', body)).status).toBe(400)
    expect((await gateway.ask('POST', '/api/v2/projects/', `${body} `)).status).toBe(413)
  })

  it('in chunks are joined', async () => {
    const text = post(
      `Authorization: ${gateway.authorization}\r\nTransfer-Encoding: chunked\r\n`,
      `${chunk('{"name":')}${chunk('"Chunked"}')}0\r\n\r\n`,
    )
    expect(statusOf(await send(text, headed))).toBe(201)
    expect(gateway.asked.at(-1)).toMatchObject({ project: { name: 'Chunked' } })
  })

  it('that are not UTF-8 return 400', async () => {
    const answer = await fetch(`${gateway.url}/api/v2/projects/`, {
      method: 'POST',
      headers: { authorization: gateway.authorization, 'content-type': 'application/json' },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    })
    expect(answer.status).toBe(400)
  })
})

describe('noise', () => {
  const word = fc.constantFrom(
    ...['GET', 'POST', ' ', '/', '/api/v2/projects/', '?q=', '%', '%e4', 'HTTP/1.1', '\r\n', '\r\n\r\n', ':'],
    ...['Host: a', 'Content-Length', ' 5', 'Transfer-Encoding: chunked', '{"name":', '"', '\0', 'ü', '0\r\n'],
  )

  it('never breaks the gateway', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 30, size: 'max' }), async (words) => {
        expect(statusOf(await send(words.join(''), nothing))).not.toBe(500)
      }),
      { numRuns: 200 },
    )
  })
})

describe('closing', () => {
  it('answers running requests, accepts no new ones, and ends', async () => {
    const held = Promise.withResolvers<string[]>()
    const begun = Promise.withResolvers<void>()
    const other = await openTestGateway({
      readiness: () => {
        begun.resolve()
        return held.promise
      },
    })
    const answer = other.ask('GET', '/readyz')
    await begun.promise
    const closed = other.close()
    await expect(fetch(`${other.url}/healthz`)).rejects.toThrow()
    held.resolve([])
    expect((await answer).status).toBe(200)
    await closed
  })

  it('does not wait for a client that never finishes its request', async () => {
    const other = await openTestGateway()
    const socket = connect(other.port, '127.0.0.1')
    await new Promise((resolve) => socket.write(post('Content-Length: 100\r\n', '{'), resolve))
    expect((await other.ask('GET', '/healthz')).status).toBe(200)
    socket.destroy()
    await other.close()
  })

  it('rejects an address in use', async () => {
    const taken = openTestGateway({ address: { host: '127.0.0.1', port: gateway.port } })
    await expect(taken).rejects.toThrow(`cannot listen on 127.0.0.1:${gateway.port}`)
  })
})
