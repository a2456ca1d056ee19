// Maps the services of the contract to their implementation. CONTRIBUTING.md describes handlers.
import { type DescMethod, type DescService, getOption, hasOption } from '@bufbuild/protobuf'
import type { ConnectRouter, HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { AdmissionService } from '../gen/lectern/v1/admission_pb.js'
import { AnalyticsService } from '../gen/lectern/v1/analytics_pb.js'
import { ChatService } from '../gen/lectern/v1/chat_pb.js'
import { DocumentService } from '../gen/lectern/v1/document_pb.js'
import { KeyService } from '../gen/lectern/v1/key_pb.js'
import { LimitService } from '../gen/lectern/v1/limit_pb.js'
import { McpService } from '../gen/lectern/v1/mcp_pb.js'
import { OpenApiService } from '../gen/lectern/v1/openapi_pb.js'
import { type Access, access } from '../gen/lectern/v1/options_pb.js'
import { PageService } from '../gen/lectern/v1/page_pb.js'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { RecrawlService } from '../gen/lectern/v1/recrawl_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import { SourceService } from '../gen/lectern/v1/source_pb.js'
import { StatusService } from '../gen/lectern/v1/status_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import { TeamService } from '../gen/lectern/v1/team_pb.js'

const contract = {
  projects: ProjectService,
  sources: SourceService,
  sync: SyncService,
  recrawl: RecrawlService,
  pages: PageService,
  search: SearchService,
  documents: DocumentService,
  chat: ChatService,
  analytics: AnalyticsService,
  status: StatusService,
  team: TeamService,
  keys: KeyService,
  openapi: OpenApiService,
  mcp: McpService,
  limits: LimitService,
  admission: AdmissionService,
}

export const services: readonly DescService[] = Object.values(contract)

/** The implementation of the core: an object of handlers per service. Absent handlers respond `unimplemented`. */
export type Implementation = {
  [Name in keyof typeof contract]?: Partial<ServiceImpl<(typeof contract)[Name]>>
}

/** A handler of any RPC, unary or streaming. */
export type Handler = (request: unknown, context: HandlerContext) => unknown

/** The implementation's handlers by RPC. */
export function listHandlers(implementation: Implementation): Map<DescMethod, Handler> {
  const found = new Map<DescMethod, Handler>()
  for (const [name, service] of Object.entries(contract)) {
    const handlers = implementation[name as keyof Implementation] as Record<string, Handler> | undefined
    for (const method of service.methods) {
      const handler = handlers?.[method.localName]
      if (handler) found.set(method, handler.bind(handlers))
    }
  }
  return found
}

/** Registers the implementation. Throws if an RPC has no access option, or combines `gateway` with other access rules. */
export function createRoutes(implementation: Implementation): (router: ConnectRouter) => void {
  for (const method of services.flatMap((service) => service.methods)) {
    if (!hasOption(method, access)) throw new Error(`${method.name} has no access option`)
    checkGatewayOnly(method.name, getOption(method, access))
  }
  return (router) => {
    for (const [name, service] of Object.entries(contract)) {
      router.service(service as DescService, implementation[name as keyof Implementation] ?? {})
    }
  }
}

/** Throws if an RPC of the gateway is also open to other callers. */
export function checkGatewayOnly(
  rpc: string,
  { gateway, permission, admin, anyone, anyKey, public: isPublic, restoreToken }: Access,
): void {
  if (gateway && (permission !== '' || admin || anyone || anyKey || isPublic || restoreToken)) {
    throw new Error(`${rpc} is for the gateway alone, but has access rules for other callers`)
  }
}
