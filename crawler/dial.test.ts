import { afterEach, expect, test } from 'vitest'
import { readAllowList } from './address.ts'
import type { Lookup } from './dial.ts'
import { createFetcher } from './fetch.ts'
import { openLoopback, openSecureLoopback, testCertificate } from './fixtures/loopback.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function keep<Closable extends { close(): Promise<void> }>(thing: Closable): Closable {
  closers.push(thing.close)
  return thing
}

function fetcherOf(allow: string, lookup?: Lookup, ca?: string) {
  return keep(
    createFetcher({
      allow: readAllowList(allow),
      timeoutMs: 2_000,
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
])('loopback spelled %s is refused', async (host) => {
  const site = keep(await openLoopback({ '/': 'secret' }))
  expect(await fetcherOf('').fetchPage(`http://${host}:${site.port}/`)).toMatchObject(blocked)
  expect(site.asked).toEqual([])
})

test('a name is refused whole when one of its addresses is private', async () => {
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

test('an address is dialled as it was checked: a name server that answers otherwise the second time gains nothing', async () => {
  const site = keep(
    await openLoopback({
      '/': (_request, response) => response.writeHead(200, { connection: 'close' }).end('a'),
    }),
  )
  const answers = [['127.0.0.2'], ['10.0.0.1'], ['127.0.0.1']]
  let lookups = 0
  const fetcher = fetcherOf('127.0.0.0/8', async () => answers[lookups++] ?? [])
  const url = `http://docs.test:${site.port}/`
  // 127.0.0.2 is allowed and nobody listens there; were the name resolved again for the connection, 10.0.0.1 would be tried.
  expect(await fetcher.fetchPage(url)).toMatchObject({ kind: 'failed', reason: 'connection' })
  expect(lookups).toBe(1)
  expect(await fetcher.fetchPage(url)).toMatchObject(blocked)
  expect(await fetcher.fetchPage(url)).toMatchObject({ kind: 'page' })
  expect(lookups).toBe(3)
})

test('the allow list opens a host by name, by name and port, or by the address it leads to', async () => {
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
    expect(await fetcherOf(allow, lookup).fetchPage(url)).toMatchObject({ kind: 'page' })
    expect(host).toBe(`docs.test:${site.port}`)
  }
  expect(await fetcherOf('docs.test:1,10.0.0.0/8,other.test', lookup).fetchPage(url)).toMatchObject(blocked)
})

test('an address that refuses is followed by the next', async () => {
  const site = keep(await openLoopback({ '/': 'a' }))
  const fetcher = fetcherOf('docs.test', async () => ['127.0.0.2', '127.0.0.1'])
  expect(await fetcher.fetchPage(`http://docs.test:${site.port}/`)).toMatchObject({ kind: 'page' })
})

test('a certificate must be trusted and made out to the name', async () => {
  const site = keep(await openSecureLoopback({ '/': 'a' }))
  const lookup: Lookup = async () => ['127.0.0.1']
  const ca = await testCertificate()
  const read = (name: string, trusted?: string) =>
    fetcherOf('127.0.0.0/8', lookup, trusted).fetchPage(`https://${name}:${site.port}/`)
  expect(await read('docs.test', ca)).toMatchObject({ kind: 'page' })
  expect(await read('docs.test')).toMatchObject({ kind: 'failed', reason: 'tls' })
  expect(await read('other.test', ca)).toMatchObject({ kind: 'failed', reason: 'tls' })
})

test('a plain server asked for TLS, a closed port and an unknown name are told apart', async () => {
  const site = keep(await openLoopback({ '/': 'a' }))
  const fetcher = fetcherOf('127.0.0.1')
  expect(await fetcher.fetchPage(`https://127.0.0.1:${site.port}/`)).toMatchObject({ reason: 'tls' })
  expect(await fetcher.fetchPage('http://127.0.0.1:1/')).toMatchObject({
    reason: 'connection',
    answered: false,
  })
  const unknown = fetcherOf('', () => Promise.reject(new Error('ENOTFOUND')))
  expect(await unknown.fetchPage('http://nowhere.test/')).toMatchObject({ reason: 'dns' })
})
