// Slow or silent clients: the server frees their resources.
import { once } from 'node:events'
import { connect, constants } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { openTestServer } from './core.ts'

const server = await openTestServer({ silence: 100 })
const client = connect(server.url)
afterAll(async () => {
  client.destroy()
  await server.close()
})

const open = (path: string) =>
  client.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' })

it('cancels a request that stops halfway', async () => {
  const stream = open('/lectern.v1.ProjectService/GetProject')
  stream.write(Buffer.from([0, 0, 0, 0, 9]))
  await once(stream, 'close')
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
})

it('answers a complete request on the same connection', async () => {
  const stream = open('/lectern.v1.ProjectService/ListProjects')
  stream.end(Buffer.alloc(5))
  const [headers] = await once(stream, 'response')
  expect(headers[':status']).toBe(200)
  stream.close()
})

it('continues a call whose response is long after its request', async () => {
  const stream = open('/grpc.health.v1.Health/Watch')
  stream.end(Buffer.alloc(5))
  await once(stream, 'response')
  // A request that stops halfway is canceled in the meantime.
  await once(open('/lectern.v1.ProjectService/GetProject'), 'close')
  expect(stream.closed).toBe(false)
  stream.close()
})

it('closes an HTTP/2 connection without calls, but not one with a silent call', async () => {
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

it('announces at most 250 concurrent calls over HTTP/2', async () => {
  const session = connect(server.url)
  const [settings] = await once(session, 'remoteSettings')
  expect(settings.maxConcurrentStreams).toBe(250)
  session.destroy()
})

it('answers endless HTTP/1.1 headers with 408 and closes the connection', async () => {
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

it('drops connections beyond the maximum, and serves the others', async () => {
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
