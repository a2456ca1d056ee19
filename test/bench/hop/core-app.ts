// The core of the hop benchmark in a separate process, with a bare server next to it; prints their ports.
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { openCoreServer } from '../../../services/server/core-server.ts'
import { answerBytes } from './bare-call.ts'
import { createHopCore } from './hop-core.ts'

const address = { host: '127.0.0.1', port: 0 }
const { port } = await openCoreServer(createHopCore(), { address, backends: {} })

const answer = Buffer.alloc(answerBytes)
const bare = createServer()
bare.on('stream', (stream) => {
  stream.resume()
  stream.on('end', () => {
    stream.respond({ ':status': 200 })
    stream.end(answer)
  })
})
bare.listen(0, '127.0.0.1', () => process.send!({ port, barePort: (bare.address() as AddressInfo).port }))
