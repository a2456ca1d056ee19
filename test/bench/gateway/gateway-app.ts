// The gateway before a core that answers at once, in a process of their own, and a bare uWebSockets.js app beside it that
// sends the same bytes; says their ports, and on `take` how long the core took for each search since it was last asked.

import { App, type us_listen_socket, us_socket_local_port } from 'uWebSockets.js'
import { tmpdir } from 'node:os'
import type { Transport } from '@connectrpc/connect'
import { createGateway } from '../../../gateway/gateway.ts'
import { createStatic } from '../../../gateway/pages.ts'
import { createCallerSigner } from '../../../services/guard/identify.ts'
import { createInMemoryTransport } from '../../../services/server/in-memory-transport.ts'
import { createHopCore, secret } from '../hop/hop-core.ts'

const core = createInMemoryTransport(createHopCore())
/** Milliseconds that the core took for each search. */
let times: number[] = []

const timed: Transport = {
  ...core,
  async unary(...call) {
    const began = performance.now()
    const answer = await core.unary(...call)
    if (call[0].localName === 'search') times.push(performance.now() - began)
    return answer
  },
}

const noFiles = createStatic(new Map())
const gateway = createGateway({
  transport: timed,
  address: { host: '127.0.0.1', port: 0 },
  publicUrl: null,
  dataFolder: tmpdir(),
  trustProxy: [],
  networkKey: (address) => address,
  vouch: createCallerSigner(secret, () => new Date()),
  readiness: async () => [],
  pages: { demo: noFiles, manual: noFiles, reference: async () => noFiles },
  log: { error: (what) => console.error(what), warn: () => {} },
})
const port = await gateway.listen()
const path = '/api/v2/projects/open/search/?q=subprocess'
const answer = await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
times = []

App()
  .any('/*', (response) => {
    response.cork(() => {
      response.writeHeader('content-type', 'application/json')
      response.end(answer)
    })
  })
  .listen('127.0.0.1', 0, (listening: us_listen_socket) => {
    process.send?.({
      port,
      barePort: us_socket_local_port(listening),
      path,
      bytes: Buffer.byteLength(answer),
    })
  })

process.on('message', () => {
  process.send?.(times)
  times = []
})
process.once('disconnect', () => process.exit())
