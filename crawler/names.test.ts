import { lookup as lookupInThread } from 'node:dns/promises'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFolder } from '../test/folder.ts'
import { openNameServer } from '../test/loopback/name-server.ts'
import { createNames, SilentNameServer } from './names.ts'

let now = 1

async function open(
  records: Record<string, string[] | 'fails'>,
  { silent = false, timeoutMs = 60_000, resolvConf = '' } = {},
) {
  const server = await openNameServer(records, { silent })
  const folder = createFolder()
  const file = join(folder, 'resolv.conf')
  await writeFile(file, resolvConf)
  const clock = { now: () => now }
  const names = createNames({ servers: [server.address], timeoutMs, clock, resolvConf: file })
  onTestFinished(server.close)
  onTestFinished(names.close)
  return { names, server }
}

const hostsOf = (domain: string, count: number) =>
  Array.from({ length: count }, (_, at) => `h${at}.${domain}`)

/** Looks up all hosts at once, and returns the outcomes. */
function lookUpAll(names: ReturnType<typeof createNames>, project: string, hosts: string[]) {
  const lookup = names.lookupFor(project)
  return Promise.all(hosts.map((host) => lookup(host).catch((error) => error.constructor)))
}

test('returns addresses of both families, starting with IPv4 and alternating', async () => {
  const { names } = await open({
    'docs.test': ['2001:db8::1', '2001:db8::2', '192.0.2.1', '192.0.2.2', '192.0.2.3'],
    'six.test': ['2001:db8::1'],
    'none.test': [],
  })
  const lookup = names.lookupFor('p')
  expect(await lookup('Docs.test')).toEqual([
    ...['192.0.2.1', '2001:db8::1', '192.0.2.2', '2001:db8::2'],
    '192.0.2.3',
  ])
  expect(await lookup('six.test')).toEqual(['2001:db8::1'])
  expect(await lookup('none.test')).toEqual([])
})

test('looks up other names of a domain after an unknown one', async () => {
  const { names } = await open({ 'a.docs.test': ['192.0.2.1'] })
  const lookup = names.lookupFor('p')
  await expect(lookup('b.docs.test').catch(() => [])).resolves.toEqual([])
  expect(await lookup('a.docs.test')).toEqual(['192.0.2.1'])
})

test('resolves localhost and names of /etc/hosts without a name server', async () => {
  const { names, server } = await open({}, { silent: true })
  expect(await names.lookupFor('p')('localhost')).toContain('127.0.0.1')
  expect(await names.lookupFor('p')('docs.localhost')).toEqual(['127.0.0.1', '::1'])
  expect(server.asked.size).toBe(0)
})

test('fails other names of a domain without a query after its name server was silent, for this project', async () => {
  const { names, server } = await open({}, { silent: true, timeoutMs: 500 })
  const outcomes = await lookUpAll(names, 'a', hostsOf('attacker.test', 300))
  expect(new Set(outcomes)).toEqual(new Set([SilentNameServer]))
  expect(server.asked.size).toBe(4)
  await lookUpAll(names, 'b', ['other.attacker.test'])
  expect([...server.asked]).toContain('other.attacker.test')
})

test('still looks up other domains, and the domain itself after a minute', async () => {
  const { names, server } = await open({
    'a.silent.test': 'fails',
    'b.silent.test': ['192.0.2.1'],
    'c.test': ['192.0.2.2'],
  })
  const lookup = names.lookupFor('p')
  await expect(lookup('a.silent.test')).rejects.toThrow(SilentNameServer)
  await expect(lookup('b.silent.test')).rejects.toThrow(SilentNameServer)
  expect(await lookup('c.test')).toEqual(['192.0.2.2'])
  expect([...server.asked]).not.toContain('b.silent.test')
  now += 61_000
  expect(await lookup('b.silent.test')).toEqual(['192.0.2.1'])
})

test('returns a name resolved within the last minute while its domain is silent', async () => {
  const { names } = await open({ 'a.docs.test': ['192.0.2.1'], 'b.docs.test': 'fails' })
  const lookup = names.lookupFor('p')
  await lookup('a.docs.test')
  await expect(lookup('b.docs.test')).rejects.toThrow(SilentNameServer)
  expect(await lookup('a.docs.test')).toEqual(['192.0.2.1'])
})

test('finds a short name behind a silent search domain', async () => {
  const records: Parameters<typeof open>[0] = {
    docs: ['192.0.2.1'],
    'docs.corp.test': 'fails',
    'docs.lan.test': ['192.0.2.2'],
  }
  const first = await open(records, { resolvConf: 'search corp.test\n' })
  expect(await first.names.lookupFor('p')('docs')).toEqual(['192.0.2.1'])
  const next = await open(records, { resolvConf: 'search corp.test lan.test\n' })
  expect(await next.names.lookupFor('p')('docs')).toEqual(['192.0.2.2'])
  await expect(next.names.lookupFor('p')('unknown')).rejects.toThrow(SilentNameServer)
})

test('with ndots:0, tries a short name unchanged before search domains', async () => {
  const { names, server } = await open(
    { docs: ['192.0.2.1'], 'docs.corp.test': ['192.0.2.2'], 'wiki.corp.test': ['192.0.2.3'] },
    { resolvConf: 'search corp.test\noptions edns0 ndots:0\n' },
  )
  expect(await names.lookupFor('p')('docs')).toEqual(['192.0.2.1'])
  expect([...server.asked]).toEqual(['docs'])
  expect(await names.lookupFor('p')('wiki')).toEqual(['192.0.2.3'])
})

test('runs at most 4 lookups per project, on no thread of the pool, and cancels them on close', async () => {
  const { names, server } = await open({}, { silent: true })
  let ended = 0
  const lookups = ['a', 'b'].map((project) => {
    const hosts = Array.from({ length: 20 }, (_, at) => `docs.${project}${at}.test`)
    return lookUpAll(names, project, hosts).finally(() => {
      ended += 1
    })
  })
  await expect.poll(() => server.asked.size).toBe(8)
  expect(await lookupInThread('localhost')).toHaveProperty('address')
  expect([server.asked.size, ended]).toEqual([8, 0])
  names.close()
  expect(new Set((await Promise.all(lookups)).flat())).toEqual(new Set([SilentNameServer]))
})
