// The programs that replace each image: Lectern from this checkout, and the servers that are built for the tests.
import { fileURLToPath } from 'node:url'
import { binaryOf, type ServerName } from '../binaries.ts'
import { accepts } from '../ferretdb.ts'
import { freePorts } from '../server-process.ts'
import type { ComposeService } from './compose-file.ts'
import type { Place } from './places.ts'

export interface Program {
  binary: string
  args: string[]
  env: Record<string, string>
  /** Whether it answers; null: use the health check of the compose file. */
  answers: (() => Promise<boolean>) | null
  /** Lines of its output that can be ignored. */
  noise?: RegExp
}

interface Container {
  place: Place
  service: ComposeService
  /** From the compose file, with this machine's addresses. */
  env: Record<string, string>
  /** By the path in the container. */
  folders: Map<string, string>
}

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** By the name of the image, without registry and tag. */
const programs: Record<string, (container: Container) => Promise<Program>> = {
  async lectern({ env }) {
    const args = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4', 'app/main.ts']
    return { binary: process.execPath, args, env, answers: null }
  },

  /** FerretDB replaces MongoDB. It has no users: see withoutPassword. */
  async mongo({ place, folders }) {
    const port = place.ports.get(27017)!
    const args = ['-listen', `127.0.0.1:${port}`, '-data', folders.get('/data/db')!]
    return { binary: binaryOf('ferretdb'), args, env: {}, answers: () => accepts(port), noise: /level=WARN/ }
  },

  async weaviate({ place, env, folders }) {
    const [http, grpc] = [place.ports.get(8080)!, place.ports.get(50051)!]
    const [gossip, data, raft, raftRpc] = (await freePorts(4)).map(String)
    const path = 'PERSISTENCE_DATA_PATH'
    return {
      binary: binaryOf('weaviate'),
      args: ['--host', '127.0.0.1', '--port', String(http), '--scheme', 'http'],
      env: {
        ...env,
        [path]: folders.get(env[path]!)!,
        CLUSTER_ADVERTISE_ADDR: '127.0.0.1',
        CLUSTER_DATA_BIND_PORT: data!,
        CLUSTER_GOSSIP_BIND_PORT: gossip!,
        GO_PROFILING_DISABLE: 'true',
        GRPC_PORT: String(grpc),
        LOG_LEVEL: 'warning',
        RAFT_BOOTSTRAP_EXPECT: '1',
        RAFT_INTERNAL_RPC_PORT: raftRpc!,
        RAFT_JOIN: 'node1',
        RAFT_PORT: raft!,
      },
      answers: async () => (await fetch(`http://127.0.0.1:${http}/v1/.well-known/ready`)).ok,
    }
  },

  async temporal({ place, service, folders }) {
    const [port, ui] = [place.ports.get(7233)!, place.ports.get(8233)!]
    const [http, metrics] = (await freePorts(2)).map(String)
    const [path, folder] = [...folders][0]!
    const command = service.command!.map((word) =>
      word === '0.0.0.0' ? '127.0.0.1' : word.replace(path, folder),
    )
    const ports = [
      '--port',
      `${port}`,
      '--ui-port',
      `${ui}`,
      '--http-port',
      http!,
      '--metrics-port',
      metrics!,
    ]
    return {
      binary: binaryOf('temporal'),
      args: [...command, ...ports],
      env: { HOME: folder },
      answers: async () => (await fetch(`http://127.0.0.1:${http}/api/v1/namespaces/default`)).ok,
    }
  },
}

/** The servers that must be built first. */
export const neededServers: ServerName[] = ['ferretdb', 'weaviate', 'temporal']

export async function toProgram(container: Container): Promise<Program> {
  const name = container.service.image.split('/').at(-1)!.split(':')[0]!
  const program = programs[name]
  if (!program) throw new Error(`nothing here stands in for the image ${container.service.image}`)
  return program(container)
}

/** A connection string for FerretDB, which has no users. */
export function withoutPassword(text: string): string {
  return text.replace(/^mongodb:\/\/[^@]*@/, 'mongodb://').replace(/\?authSource=\w+$/, '')
}
