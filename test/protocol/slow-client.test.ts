// Clients that are slow, or say nothing: what they hold is taken from them.
import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestServer } from './core.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
let client: ClientHttp2Session
beforeAll(async () => {
  server = await openTestServer({ silence: 100 })
  client = connect(server.url)
})
afterAll(async () => {
  client.destroy()
  await server.close()
})

const open = (path: string) =>
  client.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' })

it('a request that stops half way is cancelled', async () => {
  const stream = open('/lectern.v1.ProjectService/GetProject')
  stream.write(Buffer.from([0, 0, 0, 0, 9]))
  await once(stream, 'close')
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
})

it('one that is whole is answered on the same connection', async () => {
  const stream = open('/lectern.v1.ProjectService/ListProjects')
  stream.end(Buffer.alloc(5))
  const [headers] = await once(stream, 'response')
  expect(headers[':status']).toBe(200)
  stream.close()
})

it('a call that is answered for long after its request goes on', async () => {
  const stream = open('/grpc.health.v1.Health/Watch')
  stream.end(Buffer.alloc(5))
  await once(stream, 'response')
  // One that is silent as long is gone meanwhile.
  await once(open('/lectern.v1.ProjectService/GetProject'), 'close')
  expect(stream.closed).toBe(false)
  stream.close()
})

it('a connection over HTTP/2 without a call is closed, one with a call that is silent is not', async () => {
  const strict = await openTestServer({ idle: 100 })
  const [idle, busy] = [connect(strict.url), connect(strict.url)]
  const closed = [once(idle, 'close'), once(busy, 'close')]
  const call = busy.request({
    ':method': 'POST',
    ':path': '/grpc.health.v1.Health/Watch',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  call.end(Buffer.alloc(5))
  call.resume()
  await once(call, 'response')
  await closed[0]
  expect(busy.closed).toBe(false)
  call.close()
  await closed[1]
  await strict.close(0)
})

it('a connection over HTTP/2 is told of 250 calls at once', async () => {
  const session = connect(server.url)
  const [settings] = await once(session, 'remoteSettings')
  expect(settings.maxConcurrentStreams).toBe(250)
  session.destroy()
})

it('a head over HTTP/1.1 that never ends is answered with 408, and its connection closed', async () => {
  const strict = await openTestServer({ head: 200 })
  const socket = connectSocket(strict.port, '127.0.0.1')
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes
  })
  const trickle = setInterval(() => socket.write('x: y\r\n'), 20)
  socket.on('error', () => {})
  socket.write('POST /lectern.v1.ProjectService/GetProject HTTP/1.1\r\nhost: x\r\n')
  await once(socket, 'close')
  clearInterval(trickle)
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  await strict.close(0)
})

it('connections beyond the greatest number are dropped, the others go on', async () => {
  const strict = await openTestServer({ connections: 2 })
  const taken = [connectSocket(strict.port, '127.0.0.1'), connectSocket(strict.port, '127.0.0.1')]
  await Promise.all(taken.map((socket) => once(socket, 'connect')))
  const refused = connectSocket(strict.port, '127.0.0.1')
  refused.on('error', () => {})
  await once(refused, 'close')
  const [first] = taken
  first!.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  const [bytes] = await once(first!, 'data')
  expect(String(bytes)).toMatch(/^HTTP\/1\.1 404 /)
  for (const socket of taken) socket.destroy()
  await strict.close(0)
})
