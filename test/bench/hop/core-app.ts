// The core of the hop's benchmark in a process of its own; says its port.
import { openCoreServer } from '../../../services/server/core-server.ts'
import { createHopCore } from './hop-core.ts'

const address = { host: '127.0.0.1', port: 0 }
const { port } = await openCoreServer(createHopCore(), { address, backends: {} })
process.send!({ port })
