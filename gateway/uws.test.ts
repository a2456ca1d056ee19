// The HTTP server on a real connection.
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createFolder } from '../test/folder.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import { createHttpServer } from './uws.ts'

type Handler = (request: HttpRequest) => Promise<HttpResponse>

const options = {
  ...{ host: '127.0.0.1', port: 0, overflowFolder: createFolder(), sockets: {} as never },
  ...{ networkOf: () => 'n', bodyKindOf: () => 'open' as const },
}

async function openServer(handle: Handler = async () => ({ status: 200, headers: {}, body: 'here' })) {
  const server = createHttpServer({ ...options, handle })
  const client = connect(await server.listen(), '127.0.0.1')
  async function ask(method = 'GET') {
    client.write(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`)
    const [answer] = await once(client, 'data')
    return String(answer)
  }
  return { server, client, ask }
}

test('keeps the connection open after a request without a body, whatever its method', async () => {
  const { server, client, ask } = await openServer()
  for (const method of ['DELETE', 'POST', 'GET']) {
    expect(await ask(method)).not.toMatch(/^connection: close/im)
  }
  client.destroy()
  await server.close(0)
})

test('closes the connection with each response while it stops, so that no further request is lost on it', async () => {
  const { server, client, ask } = await openServer()
  const closed = once(client, 'close')
  expect(await ask()).not.toMatch(/^connection: close/im)
  server.stopListening()
  expect(await ask()).toMatch(/^HTTP\/1\.1 200 .*^connection: close\r$.*here$/ims)
  await closed
  await server.close(0)
})

/** A body of unknown length, whose first chunk is already larger than the limit of `open`. */
const largeBody = `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n18000\r\n${'x'.repeat(0x18000)}\r\n`

test('a client that reads no answer before it has sent its whole body gets the answer, and may go on', async () => {
  const refused = Promise.withResolvers<void>()
  const { server, client, ask } = await openServer(async (request) => {
    await request.body().catch(() => refused.resolve())
    return { status: request.method === 'GET' ? 200 : 413, headers: {}, body: 'here' }
  })
  let answer = ''
  client.on('data', (data) => {
    answer += data
  })
  client.write(largeBody)
  await refused.promise
  expect(answer).toBe('')
  client.write('3\r\nyyy\r\n0\r\n\r\n')
  await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 413 .*here$/s)
  expect(answer).not.toMatch(/^connection: close/im)
  expect(await ask()).toMatch(/^HTTP\/1\.1 200 /)
  client.destroy()
  await server.close(0)
})

test('a client that expects a permission to send its body is answered before it sends more', async () => {
  const { server, client } = await openServer(async (request) => {
    await request.body().catch(() => {})
    return { status: 413, headers: {}, body: 'here' }
  })
  client.write(largeBody.replace('\r\n', '\r\nExpect: 100-continue\r\n'))
  const [answer] = await once(client, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 .*^connection: close\r$.*here$/ims)
  client.destroy()
  await server.close(0)
})
