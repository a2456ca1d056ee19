// Clients that begin a request over HTTP/2 and do not end it: their stream is closed, the connection goes on.
import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
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
