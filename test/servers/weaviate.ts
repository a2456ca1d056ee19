// A real Weaviate with one node.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binaryOf } from './binaries.ts'
import { freePorts, openServer, type ServerProcess } from './server-process.ts'

export interface WeaviateServer extends ServerProcess {
  /** A value for LECTERN_WEAVIATE_URL. */
  url: string
  /** A value for LECTERN_WEAVIATE_GRPC: `host:port`. */
  grpc: string
  httpPort: number
  grpcPort: number
  /** Stops it and deletes its data. */
  remove(): Promise<void>
}

/** `env`: additional settings, such as an API key. */
export async function openWeaviate(env: Record<string, string> = {}): Promise<WeaviateServer> {
  const [http, grpc, gossip, data, raft, raftRpc] = (await freePorts(6)) as [number, number, ...number[]]
  const folder = await mkdtemp(join(tmpdir(), 'lectern-weaviate-'))
  const url = `http://127.0.0.1:${http}`
  const server = await openServer({
    binary: binaryOf('weaviate'),
    args: ['--host', '127.0.0.1', '--port', String(http), '--scheme', 'http'],
    env: {
      AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED: 'true',
      AUTOSCHEMA_ENABLED: 'false',
      CLUSTER_ADVERTISE_ADDR: '127.0.0.1',
      CLUSTER_DATA_BIND_PORT: String(data),
      CLUSTER_GOSSIP_BIND_PORT: String(gossip),
      CLUSTER_HOSTNAME: 'node1',
      DEFAULT_VECTORIZER_MODULE: 'none',
      DISABLE_TELEMETRY: 'true',
      GO_PROFILING_DISABLE: 'true',
      GRPC_PORT: String(grpc),
      LOG_LEVEL: 'error',
      PERSISTENCE_DATA_PATH: folder,
      // As in docker-compose.yml; manual/production.md has the reason.
      PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS: '1',
      RAFT_BOOTSTRAP_EXPECT: '1',
      RAFT_INTERNAL_RPC_PORT: String(raftRpc),
      RAFT_JOIN: 'node1',
      RAFT_PORT: String(raft),
      ...env,
    },
    answers: async () => (await fetch(`${url}/v1/.well-known/ready`)).ok,
  })
  return {
    ...server,
    url,
    grpc: `127.0.0.1:${grpc}`,
    httpPort: http!,
    grpcPort: grpc!,
    async remove() {
      await server.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
