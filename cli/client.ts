// The CLI's way to a running Lectern: gRPC, with the key of the configuration or of this machine's data folder.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient, type Interceptor } from '@connectrpc/connect'
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

export interface CoreClient {
  projects: Client<typeof ProjectService>
  sources: Client<typeof SourceService>
  syncs: Client<typeof SyncService>
  pages: Client<typeof PageService>
  recrawls: Client<typeof RecrawlService>
  status: Client<typeof StatusService>
  search: Client<typeof SearchService>
  keys: Client<typeof KeyService>
  team: Client<typeof TeamService>
  chats: Client<typeof ChatService>
}

export async function createCoreClient(config: Config): Promise<CoreClient> {
  const key = config.apiKey ?? (await readAdminKey(config.data))
  const withKey: Interceptor = (next) => (request) => {
    if (key) request.header.set('authorization', `Api-Key ${key}`)
    return next(request)
  }
  const { host, port } = config.grpc
  const address = host.includes(':') ? `[${host}]` : host
  const transport = createGrpcTransport({ baseUrl: `http://${address}:${port}`, interceptors: [withKey] })
  return {
    projects: createClient(ProjectService, transport),
    sources: createClient(SourceService, transport),
    syncs: createClient(SyncService, transport),
    pages: createClient(PageService, transport),
    recrawls: createClient(RecrawlService, transport),
    status: createClient(StatusService, transport),
    search: createClient(SearchService, transport),
    keys: createClient(KeyService, transport),
    team: createClient(TeamService, transport),
    chats: createClient(ChatService, transport),
  }
}

/** The key that Lectern made at its first start here; null where there is none to read. */
async function readAdminKey(data: string): Promise<string | null> {
  const text = await readFile(join(data, 'admin-key'), 'utf8').catch(() => '')
  return text.trim() || null
}
