// The HTTP server on a real connection.
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createFolder } from '../test/folder.ts'
import { createHttpServer } from './uws.ts'

const options = {
  ...{ host: '127.0.0.1', port: 0, overflowFolder: createFolder(), sockets: {} as never },
  ...{ networkOf: () => 'n', bodyKindOf: () => 'open' as const },
  handle: async () => ({ status: 200, headers: {}, body: 'here' }),
}

async function openServer() {
  const server = createHttpServer(options)
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
