// Requests that begin and do not end: what they may hold of the process, together and each network.
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTestGateway, type TestGateway } from './gateway/lectern-gateway.ts'

let gateway: TestGateway
let sockets: Socket[]
beforeEach(async () => {
  gateway = await openTestGateway({ trustProxy: ['127.0.0.1'] })
  sockets = []
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway.close()
})

const megabyte = 1024 * 1024
const path = '/api/v2/projects/open/search/click/'

/** All of a body of 1 MiB but its last byte; answers the status, or null while there is none. */
function begin(address: string) {
  const socket = connect(gateway.port, '127.0.0.1')
  sockets.push(socket)
  const head = `POST ${path} HTTP/1.1\r\nHost: l\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\n`
  const outcome = { status: null as number | null, isSent: false }
  socket.on('error', () => {})
  socket.on('data', (data) => {
    outcome.status ??= Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())![1])
  })
  const sent = new Promise<void>((resolve) => {
    socket.write(`${head}Content-Length: ${megabyte}\r\n\r\n${'x'.repeat(megabyte - 1)}`, () => resolve())
    socket.on('close', () => resolve())
  })
  return { socket, outcome, sent }
}

/** Until the gateway has read what was sent before. */
async function settled() {
  for (let asked = 0; asked < 20; asked++) {
    expect((await gateway.ask('GET', '/healthz')).status).toBe(200)
  }
}

function click(address: string) {
  return gateway.ask('POST', path, { query: 'a' }, { 'x-forwarded-for': address })
}

it('of one network hold 8 MiB, and leave the others theirs', async () => {
  const begun = Array.from({ length: 20 }, (_, n) => begin(`2001:db8:1:1::${n}`))
  await Promise.all(begun.map(({ sent }) => sent))
  await settled()
  const refused = begun.filter(({ outcome }) => outcome.status === 429)
  expect(begun.filter(({ outcome }) => outcome.status === null).length).toBe(8)
  expect(refused.length).toBe(12)
  const answer = await click('2001:db8:1:1:ffff::1')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '10'])
  expect((await click('2001:db8:1:2::1')).status).toBe(200)

  // One that ends, and one that leaves, make room again.
  begun.find(({ outcome }) => outcome.status === null)!.socket.destroy()
  await expect.poll(async () => (await click('2001:db8:1:1::1')).status).toBe(200)
})

it('of all networks together hold 32 MiB of memory', async () => {
  const before = process.memoryUsage().rss
  const begun = Array.from({ length: 200 }, (_, n) => begin(`9.9.${n}.1`))
  await Promise.all(begun.map(({ sent }) => sent))
  await settled()
  expect(begun.filter(({ outcome }) => outcome.status === null).length).toBe(32)
  expect(begun.filter(({ outcome }) => outcome.status === 503).length).toBe(168)
  // Client and server share this process, so this counts what the client holds, too.
  expect((process.memoryUsage().rss - before) / megabyte).toBeLessThan(250)
  expect((await gateway.ask('GET', '/api/v2/projects/open/search/?q=x')).status).toBe(200)
})

it.each(['Content-Length: 10000000000', 'Transfer-Encoding: chunked'])('are cut off: %s', async (length) => {
  const socket = connect(gateway.port, '127.0.0.1')
  sockets.push(socket)
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.write(`POST ${path} HTTP/1.1\r\nHost: l\r\n${length}\r\n\r\n`)
  const chunk = `${megabyte.toString(16)}\r\n${'x'.repeat(megabyte)}\r\n`
  for (let sent = 0; sent < 100 && socket.writable; sent++) {
    await Promise.race([closed, new Promise((resolve) => socket.write(chunk, resolve))])
  }
  expect(socket.writable).toBe(false)
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
})
