// Who calls, with and without proxies.
import { describe, expect, it } from 'vitest'
import { type CallerReader, createCallerReader } from './caller.ts'
import type { HttpRequest } from './http.ts'

function request(peer: string, headers: Record<string, string>): HttpRequest {
  const none = { host: '', 'x-forwarded-for': '', 'x-forwarded-proto': '', 'x-forwarded-host': '' }
  return { peer, headers: { ...none, ...headers } } as unknown as HttpRequest
}

const options = {
  publicUrl: null,
  host: 'docs.inner',
  networkKey: (address: string) => address,
  warn: () => {},
}
const behind = createCallerReader({ ...options, trustProxy: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1'] })
const alone = createCallerReader({ ...options, trustProxy: [] })

describe('address', () => {
  it.each([
    ["a stranger's header", '9.9.9.9', '6.6.6.6', '9.9.9.9'],
    ["a proxy's header", '10.0.0.1', '6.6.6.6', '6.6.6.6'],
    ["a proxy's header with a stranger's entry", '10.0.0.1', '6.6.6.6, 7.7.7.7', '7.7.7.7'],
    ['the headers of two proxies', '127.0.0.1', '6.6.6.6,7.7.7.7, 10.1.2.3', '7.7.7.7'],
    ['only proxies in the header', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
    ['a proxy says nonsense', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['a proxy says nothing', '10.0.0.1', '', '10.0.0.1'],
    ['a proxy says with a port', '10.0.0.1', '6.6.6.6, 7.7.7.7:51234', '7.7.7.7'],
    ['a proxy of IPv6 says with a port', '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['a proxy in IPv6 clothes says', '::ffff:10.0.0.1', '2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['a proxy of IPv6 says', 'fd00:0000:0000:0000:0000:0000:0000:0001', '6.6.6.6', '6.6.6.6'],
  ])('%s: %s, X-Forwarded-For %j → %s', (_, peer, forwarded, address) => {
    expect(behind.address(request(peer, { 'x-forwarded-for': forwarded }))).toBe(address)
  })

  it.each([
    ['a trusted machine for itself', '10.0.0.1', '', '2001:DB8::0001', '2001:db8::1'],
    ['a trusted machine behind another', '10.0.0.1', '10.0.0.2', '6.6.6.6', '6.6.6.6'],
    ['a stranger behind a proxy', '10.0.0.1', '9.9.9.9', '6.6.6.6', '9.9.9.9'],
    ['a stranger', '9.9.9.9', '', '6.6.6.6', '9.9.9.9'],
    ['a stranger that names a proxy', '9.9.9.9', '10.0.0.1', '6.6.6.6', '9.9.9.9'],
    ['somebody whom the proxy does not name', '10.0.0.1', 'unknown', '6.6.6.6', '10.0.0.1'],
    ['a trusted machine, but nonsense', '10.0.0.1', '', 'localhost', '10.0.0.1'],
  ])(
    'X-Client-IP of %s: %s, X-Forwarded-For %j, X-Client-IP %s → %s',
    (_, peer, forwarded, client, address) => {
      const headers = { 'x-forwarded-for': forwarded, 'x-client-ip': client }
      expect(behind.address(request(peer, headers))).toBe(address)
    },
  )

  it('trusts no header without trusted proxies', () => {
    expect(alone.address(request('10.0.0.1', { 'x-forwarded-for': '6.6.6.6' }))).toBe('10.0.0.1')
  })
})

const originSeen = (reader: CallerReader, request: HttpRequest) => reader.context('v2', request).origin.origin

describe('origin', () => {
  const own = createCallerReader({ ...options, publicUrl: 'https://p.example/docs', trustProxy: [] })

  it.each([
    ['a page elsewhere', own, 'https://docs.example', 'https://docs.example'],
    ['no page', own, '', null],
    ['its own page', own, 'https://p.example', null],
    ["the host in a stranger's request", own, 'http://inner', 'http://inner'],
    ['the host in the request, if no public address is set', alone, 'http://inner', 'http://inner'],
    ['an address that is none', alone, 'null', 'null'],
  ])('%s', (_, reader, origin, seen) => {
    expect(originSeen(reader, request('9.9.9.9', { host: 'inner:80', origin }))).toBe(seen)
    expect(originSeen(reader, request('9.9.9.9', { host: 'inner:99999', origin: 'https://x.example' }))).toBe(
      'https://x.example',
    )
  })
})

it.each([
  ['localhost:8080', 'http://localhost:8080', true],
  ['demo.localhost', 'http://demo.localhost', true],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080', true],
  ['[::1]:8080', 'http://[::1]:8080', true],
  ['192.0.2.7', 'https://192.0.2.7', true],
  ['192.0.2.7:443', 'https://192.0.2.7', true],
  ['docs.inner:8080', 'https://docs.inner:8080', true],
  ['docs.inner:8080', 'http://docs.inner:9090', false],
  ['localhost:8080', 'http://localhost', false],
  ['evil.example', 'http://evil.example', false],
  ['localhost.evil.example', 'http://localhost.evil.example', false],
  ['127.0.0.1.evil.example', 'http://127.0.0.1.evil.example', false],
  ['localhost', 'http://evil.example', false],
])('a page at the requested host, without a public address %s, %s: is its own: %s', (host, origin, isOwn) => {
  expect(originSeen(alone, request('9.9.9.9', { host, origin }))).toBe(isOwn ? null : origin)
})

describe('a proxy that is not trusted', () => {
  it.each(['127.0.0.1', '10.1.2.3', '192.168.1.1', '::1', 'fd00::1'])('is reported once: %s', (peer) => {
    const warnings: string[] = []
    const reader = createCallerReader({ ...options, trustProxy: [], warn: (text) => warnings.push(text) })
    reader.address(request(peer, {}))
    expect(warnings).toEqual([])
    for (let asked = 0; asked < 3; asked++) reader.address(request(peer, { 'x-forwarded-for': '6.6.6.6' }))
    expect(warnings).toEqual([
      expect.stringContaining(`comes from ${peer}, which is not in LECTERN_TRUST_PROXY`),
    ])
  })

  it('is not reported if it is a public address, or trusted', () => {
    const warn = () => expect.unreachable()
    const reader = createCallerReader({ ...options, trustProxy: ['10.0.0.1'], warn })
    for (const peer of ['9.9.9.9', '10.0.0.1'])
      reader.address(request(peer, { 'x-forwarded-for': '6.6.6.6' }))
  })
})

describe('base', () => {
  const forwarded = { host: 'inner:8080', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'docs.example' }

  it('is the public address if one is set', () => {
    const reader = createCallerReader({
      ...options,
      publicUrl: 'https://p.example/docs',
      trustProxy: ['10.0.0.1'],
    })
    expect(reader.base(request('10.0.0.1', forwarded))).toBe('https://p.example/docs')
  })

  it("is that of a trusted proxy's headers, else the host", () => {
    expect(behind.base(request('10.0.0.1', forwarded))).toBe('https://docs.example')
    expect(behind.base(request('9.9.9.9', forwarded))).toBe('http://inner:8080')
  })

  it.each(['', 'a b', 'evil/path', 'user@host', '"><script>', 'h:99999999'])(
    'rejects the host %j',
    (host) => {
      expect(alone.base(request('9.9.9.9', { host }))).toBe('http://localhost')
    },
  )
})
