// Clients that know only the contract, on one real core: Connect by curl over HTTP/1.1 and HTTP/2, gRPC-Web like a
// browser, grpcurl, and broken or slow clients.
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcWebTransport } from '@connectrpc/connect-node'
import { beforeAll, describe, expect, it } from 'vitest'
import { SearchService } from '../../gen/lectern/v1/search_pb.js'
import { RunStatus, SyncService } from '../../gen/lectern/v1/sync_pb.js'
import { services } from '../../services/routes.ts'
import { openTestServer } from './core.ts'
import { admin, type RealCore, sharedCore, slugs } from './real-core.ts'

let core: RealCore

beforeAll(async () => {
  core = await sharedCore()
})

describe('Connect by curl', () => {
  const search = 'lectern.v1.SearchService/Search'
  /** Internals that no caller may see. */
  const inside = /\bat .*\.[jt]s|node_modules|\/var\//

  /** Posts `body` with curl; without one, sends a GET. */
  async function curl(path: string, body: string | null, ...options: string[]) {
    const post = body === null ? [] : ['--header', 'content-type: application/json', '--data-binary', '@-']
    const args = [
      '--silent',
      '--max-time',
      '20',
      '--write-out',
      '\n%{http_code} %{http_version}',
      ...post,
      ...options,
    ]
    const child = spawn('curl', [...args, new URL(path, core.url).href])
    child.stdin.end(body ?? '')
    const output = await text(child.stdout)
    const cut = output.lastIndexOf('\n')
    const [status, version] = output.slice(cut + 1).split(' ')
    return { status: Number(status), version, answer: output.slice(0, cut) }
  }

  describe.each([
    ['HTTP/1.1', [], '1.1'],
    ['HTTP/2', ['--http2-prior-knowledge'], '2'],
  ])('over %s', (_, options, version) => {
    it('returns JSON', async () => {
      const got = await curl(search, '{"slug": "docs", "q": "asyncio"}', ...options)
      expect(got).toMatchObject({ status: 200, version })
      expect(JSON.parse(got.answer).results[0].pageTitle).toBe('asyncio')
    })

    it('answers a GET if the RPC changes nothing', async () => {
      const message = encodeURIComponent('{"slug": "docs", "q": "asyncio"}')
      const got = await curl(`${search}?encoding=json&message=${message}`, null, ...options)
      expect(got.status).toBe(200)
      expect(JSON.parse(got.answer).results[0].pageTitle).toBe('asyncio')
    })

    it('returns errors with code, sentence and detail', async () => {
      const got = await curl(search, '{"slug": "docs", "q": "x", "limit": 0}', ...options)
      expect(got.status).toBe(400)
      expect(JSON.parse(got.answer)).toMatchObject({
        code: 'invalid_argument',
        message: 'limit must be greater than or equal to 1.',
        details: [
          {
            type: 'lectern.v1.ErrorDetail',
            debug: {
              reason: 'invalid',
              fields: { limit: { messages: ['must be greater than or equal to 1'] } },
            },
          },
        ],
      })
    })
  })

  it.each([
    ['broken JSON', search, '{"slug":', 400],
    ['an unknown field', search, '{"slug": "docs", "q": "x", "colour": "red"}', 400],
    ['an unknown RPC', 'lectern.v1.SearchService/Nothing', '{}', 404],
    ['a message over 1 MiB', search, `{"slug": "docs", "q": "${'x'.repeat(1_100_000)}"}`, 429],
    ['an unknown project', search, '{"slug": "none", "q": "x"}', 404],
    ['a call without its key', 'lectern.v1.SyncService/StartSync', '{"slug": "docs"}', 401],
  ])('returns the status of %s, without a stack', async (_, path, body, status) => {
    const got = await curl(path, body)
    expect(got.status).toBe(status)
    expect(got.answer).not.toMatch(inside)
  })

  it.each([
    ['an unexpected error', 'boom', 500],
    ['an unavailable backend', 'away', 503],
  ])('returns the status of %s, without a stack', async (_, q, status) => {
    const small = await openTestServer()
    const got = await curl(`${small.url}/${search}`, JSON.stringify({ slug: 'red-public', q }))
    await small.close()
    expect(got.status).toBe(status)
    expect(got.answer).not.toMatch(inside)
  })

  /** Writes pieces to a bare socket, one packet each, and returns the response. */
  async function raw(...pieces: string[]): Promise<string> {
    const socket = connect({ port: Number(core.authority.split(':')[1]), host: '127.0.0.1', noDelay: true })
    for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve))
    return text(socket)
  }

  it('detects the protocol when the first bytes come one by one', async () => {
    const body = '{"slug": "docs", "q": "socket"}'
    const request = `POST /${search} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const answer = await raw('P', 'O', request.slice(2))
    expect(answer).toContain('200 OK')
    expect(answer).toContain('"pageTitle":"socket"')
  })

  it('survives requests with an invalid target', async () => {
    const head = 'content-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'
    expect(await raw(`POST /${search} HTTP/1.1\r\nhost: bad[host\r\n${head}`)).toContain('400 Bad Request')
    expect(await raw(`POST /${search} HTTP/1.0\r\n${head}`)).toContain('400 Bad Request')
    expect(await raw('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 no TLS here\r\n\r\n')).toContain('400')
    expect((await curl(search, '{"slug": "docs", "q": "after"}')).status).toBe(200)
  })

  it('survives clients that disconnect in the middle of a request', async () => {
    const head = `POST /${search} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`
    const prefaceAndSettings = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'
    for (const start of [head, prefaceAndSettings, `${prefaceAndSettings}\xff\xff\xff nonsense`, 'PR']) {
      const socket = connect({ port: Number(core.authority.split(':')[1]), host: '127.0.0.1' })
      socket.on('error', () => {})
      await new Promise((resolve) => socket.write(Buffer.from(start, 'latin1'), resolve))
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.resetAndDestroy()
      await closed
    }
    expect((await curl(search, '{"slug": "docs", "q": "after"}')).status).toBe(200)
  })

  it('closes despite an idle connection', async () => {
    const own = await openTestServer()
    const idle = connect(own.port, '127.0.0.1')
    await new Promise((resolve) => idle.once('connect', resolve))
    idle.on('error', () => {})
    await own.close(100)
    await new Promise((resolve) => (idle.closed ? resolve(null) : idle.once('close', resolve)))
  })
})

describe('gRPC-Web over HTTP/1.1 from another origin', () => {
  const origin = 'https://docs.example.com'

  /** Status data of the last response outside of its messages. */
  let headers = new Headers()
  const transport = () =>
    createGrpcWebTransport({
      baseUrl: core.url,
      httpVersion: '1.1',
      interceptors: [
        (next) => async (request) => {
          request.header.set('origin', origin)
          const answer = await next(request)
          headers = answer.header
          return answer
        },
      ],
    })

  it('answers the preflight of another origin', async () => {
    const response = await fetch(`${core.url}/lectern.v1.SearchService/Search`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const allowed = response.headers.get('access-control-allow-headers')!.toLowerCase()
    for (const name of ['content-type', 'x-grpc-web', 'authorization']) expect(allowed).toContain(name)
  })

  it('answers a unary call', async () => {
    const { results } = await createClient(SearchService, transport()).search({
      slug: slugs.open,
      q: 'asyncio',
    })
    expect(results[0]?.pageTitle).toBe('asyncio')
    expect(headers.get('content-type')).toBe('application/grpc-web+proto')
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it('streams', async () => {
    const request = { slug: slugs.open, syncUuid: core.run }
    const runs = []
    for await (const { run } of createClient(SyncService, transport()).watchSync(request, { headers: admin }))
      runs.push(run)
    expect(runs).toMatchObject([{ uuid: core.run, status: RunStatus.COMPLETED, pages: { added: 3 } }])
  })

  it('exposes errors to scripts', async () => {
    const failed = createClient(SearchService, transport()).search({ slug: 'unknown', q: 'x' })
    const error = ConnectError.from(await failed.catch((thrown) => thrown))
    expect(error.code).toBe(Code.NotFound)
    expect(error.metadata.get('access-control-expose-headers')?.toLowerCase()).toContain('grpc-status')
  })
})

const places = [...(process.env.PATH ?? '').split(':'), join(homedir(), 'go/bin')]
const grpcurl = places.map((place) => join(place, 'grpcurl')).find((path) => existsSync(path))
if (!grpcurl && !process.env.CI) {
  console.log('skipped: grpcurl (go install github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3)')
}

// It knows only what server reflection returns.
describe.skipIf(!grpcurl && !process.env.CI)('grpcurl', () => {
  /** Returns grpcurl's standard output and standard error. */
  async function run(options: string[], ...rest: string[]): Promise<string> {
    const args = ['-plaintext', ...options, core.authority, ...rest]
    const { stdout, stderr } = await promisify(execFile)(grpcurl!, args).catch((failed) => failed)
    return stdout + stderr
  }

  it('lists every service', async () => {
    const listed = (await run([], 'list')).trim().split('\n')
    expect(listed).toEqual([...services.map((one) => one.typeName), 'grpc.health.v1.Health'].sort())
  })

  it('describes a service', async () => {
    expect(await run([], 'describe', 'lectern.v1.SearchService.Search')).toContain('lectern.v1.SearchRequest')
    expect(await run([], 'describe', 'lectern.v1.RunStatus')).toContain('RUN_STATUS_COMPLETED')
    expect(await run([], 'describe', 'lectern.v1.Nothing')).toContain('not found')
  })
})
