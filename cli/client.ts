// The connection of the command line to a running Lectern: gRPC, with the key of the configuration or of this machine's
// data folder.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient, type Interceptor, type Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { ChatService } from '../gen/lectern/v1/chat_pb.js'
import { KeyService } from '../gen/lectern/v1/key_pb.js'
import { PageService } from '../gen/lectern/v1/page_pb.js'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { RecrawlService } from '../gen/lectern/v1/recrawl_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import { SourceService } from '../gen/lectern/v1/source_pb.js'
import { StatusService } from '../gen/lectern/v1/status_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import { TeamService } from '../gen/lectern/v1/team_pb.js'
import type { Config } from '../services/config.ts'

const services = {
  projects: ProjectService,
  sources: SourceService,
  syncs: SyncService,
  pages: PageService,
  recrawls: RecrawlService,
  status: StatusService,
  search: SearchService,
  keys: KeyService,
  team: TeamService,
  chats: ChatService,
}

export type CoreClient = { [Name in keyof typeof services]: Client<(typeof services)[Name]> }

export async function createCoreClient(config: Config): Promise<CoreClient> {
  const transport = await createTransport(config)
  const clients = Object.entries(services).map(([name, service]) => [name, createClient(service, transport)])
  return Object.fromEntries(clients)
}

export async function createTransport(config: Config): Promise<Transport> {
  const key = config.apiKey ?? (await readAdminKey(config.data))
  const withKey: Interceptor = (next) => (request) => {
    if (key) request.header.set('authorization', `Api-Key ${key}`)
    return next(request)
  }
  const { host, port } = config.grpc
  const address = host.includes(':') ? `[${host}]` : host
  return createGrpcTransport({ baseUrl: `http://${address}:${port}`, interceptors: [withKey] })
}

/** The key that Lectern made at its first start here; null where there is none to read. */
async function readAdminKey(data: string): Promise<string | null> {
  const text = await readFile(join(data, 'admin-key'), 'utf8').catch(() => '')
  return text.trim() || null
}
