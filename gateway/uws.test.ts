// The HTTP server on a real connection.
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createFolder } from '../test/folder.ts'
import { createHttpServer } from './uws.ts'

test('while it stops, each answer ends its connection, so that no further request is cut off on it', async () => {
  const server = createHttpServer({
    ...{ host: '127.0.0.1', port: 0, overflowFolder: createFolder(), sockets: {} as never },
    ...{ networkOf: () => 'n', bodyKindOf: () => 'open' },
    handle: async () => ({ status: 200, headers: {}, body: 'here' }),
  })
  const client = connect(await server.listen(), '127.0.0.1')
  const closed = once(client, 'close')
  async function ask() {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const [answer] = await once(client, 'data')
    return String(answer)
  }
  expect(await ask()).not.toMatch(/^connection: close/im)
  server.stopListening()
  expect(await ask()).toMatch(/^HTTP\/1\.1 200 .*^connection: close\r$.*here$/ims)
  await closed
  await server.close(0)
})
