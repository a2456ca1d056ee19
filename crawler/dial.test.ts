import { syncBuiltinESMExports } from 'node:module'
import os, { networkInterfaces } from 'node:os'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openLoopback, openSecureLoopback, testCertificate } from '../test/loopback/loopback.ts'
import { readAllowList } from './address.ts'
import { isOwnAddress, isService, type ServiceAddress } from './dial.ts'
import { createFetcher } from './fetch.ts'
import type { Lookup } from './names.ts'

function keep<Closable extends { close(): Promise<void> }>(thing: Closable): Closable {
  onTestFinished(thing.close)
  return thing
}

function fetcherOf(allow: string, lookup?: Lookup, ca?: string) {
  return keep(
    createFetcher({
      allow: readAllowList(allow),
      ...(lookup ? { lookup } : {}),
      ...(ca ? { ca } : {}),
    }),
  )
}

const blocked = { kind: 'failed', reason: 'blocked_address', answered: false }

test.each([
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '0177.0.0.1',
  '127.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  'localhost',
])('rejects loopback spelled %s', async (host) => {
  const site = keep(await openLoopback({ '/': 'secret' }))
  expect(await fetcherOf('').fetchPage(`http://${host}:${site.port}/`)).toMatchObject(blocked)
  expect(site.asked).toEqual([])
})

test('rejects a name if one of its addresses is private', async () => {
  const site = keep(await openLoopback({ '/': 'secret' }))
  for (const addresses of [
    ['127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['::ffff:10.0.0.1'],
    ['64:ff9b::7f00:1'],
  ]) {
    const result = await fetcherOf('', async () => addresses).fetchPage(`http://docs.test:${site.port}/`)
    expect(result).toMatchObject(blocked)
  }
  expect(site.asked).toEqual([])
})

test('connects to the checked address: a different answer of the name server afterwards has no effect', async () => {
  const site = keep(
    await openLoopback({
      '/': (_request, response) => response.writeHead(200, { connection: 'close' }).end('a'),
    }),
  )
  const answers = [['127.0.0.2'], ['10.0.0.1'], ['127.0.0.1']]
  let lookups = 0
  const fetcher = fetcherOf('127.0.0.0/8', async () => answers[lookups++] ?? [])
  const url = `http://docs.test:${site.port}/`
  // 127.0.0.2 is allowed, and nothing listens there. If the name were resolved again to connect, 10.0.0.1 would be tried.
  expect(await fetcher.fetchPage(url)).toMatchObject({ kind: 'failed', reason: 'connection' })
  expect(lookups).toBe(1)
  expect(await fetcher.fetchPage(url)).toMatchObject(blocked)
  expect(await fetcher.fetchPage(url)).toMatchObject({ kind: 'document' })
  expect(lookups).toBe(3)
})

test('the allow list permits a host by name, by name and port, or by its address', async () => {
  let host: string | undefined
  const site = keep(
    await openLoopback({
      '/': (request, response) => {
        host = request.headers.host
        response.end('a')
      },
    }),
  )
  const lookup: Lookup = async () => ['127.0.0.1']
  const url = `http://docs.test:${site.port}/`
  for (const allow of ['docs.test', `docs.test:${site.port}`, '127.0.0.0/8']) {
    expect(await fetcherOf(allow, lookup).fetchPage(url)).toMatchObject({ kind: 'document' })
    expect(host).toBe(`docs.test:${site.port}`)
  }
  expect(await fetcherOf('docs.test:1,10.0.0.0/8,other.test', lookup).fetchPage(url)).toMatchObject(blocked)
})

test('tries the next address if one refuses the connection', async () => {
  const site = keep(await openLoopback({ '/': 'a' }))
  const fetcher = fetcherOf('docs.test', async () => ['127.0.0.2', '127.0.0.1'])
  expect(await fetcher.fetchPage(`http://docs.test:${site.port}/`)).toMatchObject({ kind: 'document' })
})

test('requires a trusted certificate for the name', async () => {
  const site = keep(await openSecureLoopback({ '/': 'a' }))
  const lookup: Lookup = async () => ['127.0.0.1']
  const ca = await testCertificate()
  const read = (name: string, trusted?: string) =>
    fetcherOf('127.0.0.0/8', lookup, trusted).fetchPage(`https://${name}:${site.port}/`)
  expect(await read('docs.test', ca)).toMatchObject({ kind: 'document' })
  expect(await read('docs.test')).toMatchObject({ kind: 'failed', reason: 'tls' })
  expect(await read('other.test', ca)).toMatchObject({ kind: 'failed', reason: 'tls' })
})

test('distinguishes a plain server called with TLS, a closed port and an unknown name', async () => {
  const site = keep(await openLoopback({ '/': 'a' }))
  const fetcher = fetcherOf('127.0.0.1')
  expect(await fetcher.fetchPage(`https://127.0.0.1:${site.port}/`)).toMatchObject({ reason: 'tls' })
  expect(await fetcher.fetchPage('http://127.0.0.1:4/')).toMatchObject({
    reason: 'connection',
    answered: false,
  })
  const unknown = fetcherOf('', () => Promise.reject(new Error('ENOTFOUND')))
  expect(await unknown.fetchPage('http://nowhere.test/')).toMatchObject({ reason: 'dns' })
})

describe("Lectern's own services", () => {
  const site = async () => keep(await openLoopback({ '/': '<p>secret' }))
  const fetcherFor = (allow: string, services: ServiceAddress[], lookup?: Lookup) =>
    keep(
      createFetcher({
        allow: readAllowList(allow),
        services,
        ...(lookup ? { lookup } : {}),
      }),
    )

  test.each(['127.0.0.1', 'localhost', '0.0.0.0', '::', '127.0.0.2'])(
    'rejects a service at %s in an allowed range, and accepts it if its port is named',
    async (host) => {
      const { port, asked } = await site()
      const services = [{ host, port }]
      for (const allow of ['127.0.0.1', '127.0.0.0/8', `127.0.0.1:${port + 1},127.0.0.0/8`])
        expect(await fetcherFor(allow, services).fetchPage(`http://127.0.0.1:${port}/`)).toMatchObject(
          blocked,
        )
      expect(asked).toEqual([])
      const named = await fetcherFor(`127.0.0.1:${port}`, services).fetchPage(`http://127.0.0.1:${port}/`)
      expect(named).toMatchObject({ kind: 'document' })
      const other = await fetcherFor('127.0.0.1', [{ host, port: port + 1 }])
      expect(await other.fetchPage(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'document' })
    },
  )

  test('rejects a service on another machine by name and by address', async () => {
    const lookup: Lookup = async () => ['10.1.2.3']
    const fetcher = fetcherFor('10.0.0.0/8', [{ host: 'mongo.corp', port: 27017 }], lookup)
    for (const host of ['mongo.corp', 'other.corp', '10.1.2.3'])
      expect(await fetcher.fetchPage(`http://${host}:27017/`)).toMatchObject(blocked)
  })

  test('does not treat a site with the public address of a service as the service', async () => {
    const services = [{ host: 'api.model.test', port: 443 }]
    const target = { hostname: 'docs.test', port: 443, addresses: ['8.8.8.8'] }
    expect(await isService(services, target, async () => ['8.8.8.8'])).toBe(false)
    expect(await isService(services, { ...target, hostname: 'api.model.test' }, async () => [])).toBe(true)
  })

  test('rejects ports of other protocols, with a message that says so', async () => {
    for (const port of [1, 22, 25, 6667])
      expect(await fetcherFor('127.0.0.1', []).fetchPage(`http://127.0.0.1:${port}/`)).toMatchObject({
        ...blocked,
        message: expect.stringContaining(`Port ${port} is reserved for another protocol.`),
      })
  })
})

test('rejects a public address of the machine itself', async () => {
  const interfaces = vi.spyOn(os, 'networkInterfaces')
  interfaces.mockReturnValue({ eth0: [{ address: '2606:4700::6' } as os.NetworkInterfaceInfo] })
  syncBuiltinESMExports()
  try {
    const fetcher = fetcherOf('', async () => ['2606:4700::6'])
    expect(await fetcher.fetchPage('http://docs.test/')).toMatchObject(blocked)
  } finally {
    interfaces.mockRestore()
    syncBuiltinESMExports()
  }
})

test("recognizes the machine's own addresses, whatever their network", () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  for (const { address } of own) expect(isOwnAddress(address)).toBe(true)
  expect(['127.8.8.8', '::1', '0.0.0.0', '::ffff:127.0.0.1'].every(isOwnAddress)).toBe(true)
  expect(['8.8.8.8', 'docs.test', '2606:4700::1111'].some(isOwnAddress)).toBe(false)
})
