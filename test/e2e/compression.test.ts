// Compression of responses, read by a client without automatic decoding.
import { Agent, request as begin, type IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { createStatic } from '../../gateway/pages.ts'
import { openTestGateway } from './gateway/lectern-gateway.ts'

const script = 'export const answer = 42\n'.repeat(100)
const files = createStatic(
  new Map([
    ['app.js', { contentType: 'text/javascript; charset=utf-8', body: script }],
    ['small.js', { contentType: 'text/javascript; charset=utf-8', body: 'run()' }],
    ['icon.png', { contentType: 'image/png', body: Buffer.alloc(4096) }],
  ]),
)

const gateway = await openTestGateway({
  pages: { web: files, manual: async () => files, reference: async () => files },
})
afterAll(() => gateway.close())

interface Received {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

function get(
  path: string,
  headers: Record<string, string>,
  method = 'GET',
  agent?: Agent,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const request = begin(gateway.url + path, { method, headers, agent }, async (response) => {
      const bytes = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode!, headers: response.headers, bytes })
    })
    request.on('error', reject).end()
  })
}

const accepts = (encodings: string) => ({ 'accept-encoding': encodings })
const long = 'x'.repeat(400)
const search = `/api/v2/projects/open/search/?q=${long}&url=${long}`
const description = '/api/v2/openapi.json'

describe('files', () => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip, br;q=0.5', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *;q=0.1', 'gzip'],
    ['gzip;q=0, br;q=0', undefined],
    ['identity, br;q=0.5', undefined],
    ['gzip;q=much', undefined],
    ['deflate', undefined],
    ['', undefined],
  ])('Accept-Encoding %j: %s', async (encodings, expected) => {
    const { headers, bytes } = await get('/manual/app.js', accepts(encodings))
    expect([headers['content-encoding'], headers.vary]).toEqual([expected, 'accept-encoding'])
    expect(headers['content-length']).toBe(String(bytes.length))
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }[expected ?? '']
    expect((decode ? decode(bytes) : bytes).toString()).toBe(script)
    if (decode) expect(bytes.length).toBeLessThan(script.length / 10)
  })

  it('HEAD returns the headers of GET', async () => {
    const whole = await get('/manual/app.js', accepts('br'))
    const head = await get('/manual/app.js', accepts('br'), 'HEAD')
    expect(head.bytes.length).toBe(0)
    expect({ ...head.headers, date: '' }).toEqual({ ...whole.headers, date: '' })
  })

  it('a connection can be reused after HEAD', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await get('/manual/app.js', {}, 'HEAD', agent)
    const { bytes } = await get('/manual/app.js', {}, 'GET', agent)
    expect(bytes.toString()).toBe(script)
    agent.destroy()
  })

  it('all encodings of a file share one ETag, which a 304 repeats', async () => {
    const { headers } = await get('/manual/app.js', accepts('br'))
    expect(headers.etag).toMatch(/^W\/"/)
    expect((await get('/manual/app.js', {})).headers.etag).toBe(headers.etag)
    const known = await get('/manual/app.js', { ...accepts('gzip'), 'if-none-match': headers.etag! })
    expect([known.status, known.bytes.length, known.headers.etag]).toEqual([304, 0, headers.etag])
    expect([known.headers.vary, known.headers['content-encoding']]).toEqual(['accept-encoding', undefined])
  })

  it('small files and images are not compressed', async () => {
    expect((await get('/manual/small.js', accepts('br'))).headers['content-encoding']).toBeUndefined()
    const { headers } = await get('/manual/icon.png', accepts('br'))
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined])
  })
})

describe('JSON', () => {
  it('above 1 KB is compressed with gzip, never Brotli', async () => {
    const { headers, bytes } = await get(description, accepts('gzip, br'))
    expect([headers['content-encoding'], headers['content-length']]).toEqual(['gzip', String(bytes.length)])
    expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({ openapi: '3.1.0' })
    expect((await get(description, accepts('br'))).headers['content-encoding']).toBeUndefined()
    expect((await get('/healthz', accepts('gzip'))).headers['content-encoding']).toBeUndefined()
  })

  it('of search results is compressed, for cross-origin requests too', async () => {
    const { headers, bytes } = await get(search, accepts('gzip'))
    expect(headers).toMatchObject({ vary: 'accept-encoding', 'access-control-allow-origin': '*' })
    expect(JSON.parse((headers['content-encoding'] ? gunzipSync(bytes) : bytes).toString())).toMatchObject({
      results: [{ title: long }],
    })
  })
})
