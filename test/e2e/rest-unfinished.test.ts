// Requests with unfinished bodies: limits on their memory, in total and per network.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTestGateway, type TestGateway } from './gateway/lectern-gateway.ts'

let gateway: TestGateway
let children: ChildProcess[]
beforeEach(async () => {
  gateway = await openTestGateway({ trustProxy: ['127.0.0.1'] })
  children = []
})
afterEach(async () => {
  for (const child of children) child.kill()
  await gateway.close()
})

const kibibyte = 1024
const megabyte = 1024 * kibibyte
const withKey = '/api/v2/projects/'
const open = '/api/v2/projects/open/search/click/'

/** Starts clients in a separate process, each sending all but the last byte of a body. */
async function begin(addresses: string[], path = withKey, length = megabyte) {
  const child = fork(new URL('gateway/unfinished-clients.ts', import.meta.url))
  children.push(child)
  const { port, authorization } = gateway
  const tell = async (message: object) => {
    child.send(message)
    const [answer] = await once(child, 'message')
    return answer as (number | null)[]
  }
  await tell({ begin: { port, path, addresses, length, authorization } })
  return {
    /** The status that each client received; null: none yet. */
    statuses: () => tell({ statuses: true }),
    leave: (at: number) => tell({ leave: at }),
  }
}

function create(address: string, length = 20 * kibibyte) {
  const body = { name: 'a', unknown: 'x'.repeat(length) }
  return gateway.ask('POST', withKey, body, { 'x-forwarded-for': address })
}

const ofNetwork = Array.from({ length: 20 }, (_, n) => `2001:db8:1:1::${n}`)
const count = (statuses: (number | null)[], status: number | null) =>
  statuses.filter((one) => one === status).length

it('limits bodies of one network to 8 MiB, without affecting others', async () => {
  const clients = await begin(ofNetwork)
  await expect.poll(async () => count(await clients.statuses(), 429)).toBe(12)
  const statuses = await clients.statuses()
  expect(count(statuses, null)).toBe(8)
  const answer = await create('2001:db8:1:1:ffff::1')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '10'])
  expect((await create('2001:db8:1:2::1')).status).toBe(400)

  // A client that disconnects frees its share.
  await clients.leave(statuses.indexOf(null))
  await expect.poll(async () => (await create('2001:db8:1:1::1')).status).toBe(400)
})

it('limits bodies of all networks to 32 MiB of memory, and still accepts small ones', async () => {
  const before = process.memoryUsage().rss
  // A connection that is silent for ten seconds is closed, so this uses only enough clients to show that the rest is not held.
  const clients = await begin(Array.from({ length: 120 }, (_, n) => `9.9.${n}.1`))
  await expect.poll(async () => count(await clients.statuses(), 503)).toBe(88)
  expect(count(await clients.statuses(), null)).toBe(32)
  expect((process.memoryUsage().rss - before) / megabyte).toBeLessThan(100)
  expect((await gateway.ask('GET', '/api/v2/projects/open/search/?q=x')).status).toBe(200)
  expect((await create('9.9.250.1')).status).toBe(503)
  expect((await create('9.9.250.1', 15 * kibibyte)).status).toBe(400)
})

it('reserves room for requests with a key', async () => {
  const addresses = Array.from({ length: 300 }, (_, n) => `9.9.${n % 25}.1`)
  const clients = await begin(addresses, open, 64 * kibibyte)
  await expect.poll(async () => count(await clients.statuses(), 503)).toBeGreaterThan(0)
  expect((await create('9.9.250.1')).status).toBe(400)
})

it.each(['Content-Length: 10000000000', 'Transfer-Encoding: chunked'])(
  'stops reading an oversized body: %s',
  async (length) => {
    const socket = connect(gateway.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.write(`POST ${open} HTTP/1.1\r\nHost: l\r\n${length}\r\n\r\n`)
    const chunk = `${megabyte.toString(16)}\r\n${'x'.repeat(megabyte)}\r\n`
    for (let sent = 0; sent < 100 && socket.writable; sent++) {
      await Promise.race([closed, new Promise((resolve) => socket.write(chunk, resolve))])
    }
    expect(socket.writable).toBe(false)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
  },
)
