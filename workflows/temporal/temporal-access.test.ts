// With an API key, both connections to Temporal, the caller's and the worker's, are encrypted; without a key, neither is.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { NativeConnection } from '@temporalio/worker'
import { expect, test } from 'vitest'
import { createTemporalClient, toAccess } from './client.ts'

/** First bytes: TLS records of a handshake (RFC 8446, section 5.1), and the preface of HTTP/2. */
const beginnings = { handshake: 22, http2: 'P'.charCodeAt(0) }

const ways: Record<string, (access: { address: string; key: string | null }) => Promise<unknown>> = {
  async caller(access) {
    const temporal = createTemporalClient({ ...access, namespace: 'default' })
    await temporal.ask(() => temporal.client.workflowService.getSystemInfo({})).catch(() => {})
    await temporal.close()
  },
  worker: (access) => NativeConnection.connect(toAccess(access)).catch(() => {}),
}

test.each([
  ['caller', null, beginnings.http2],
  ['caller', 'a-key', beginnings.handshake],
  ['worker', null, beginnings.http2],
  ['worker', 'a-key', beginnings.handshake],
])('encrypts the connection of the %s only with a key: %s', async (way, key, beginning) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const spoken = once(server, 'connection').then(async ([socket]: Socket[]) => {
    const [bytes] = (await once(socket!, 'data')) as [Buffer]
    socket!.destroy()
    return bytes[0]
  })
  const { port } = server.address() as AddressInfo
  const asked = ways[way]!({ address: `127.0.0.1:${port}`, key })
  expect(await spoken).toBe(beginning)
  server.close()
  await asked
})
