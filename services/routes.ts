// Maps the services of the contract to their implementation. CONTRIBUTING.md describes handlers.
import { type DescMethod, type DescService, getOption, hasOption } from '@bufbuild/protobuf'
import type { ConnectRouter, HandlerContext, MethodImpl } from '@connectrpc/connect'
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
import { type RowOf, toMessage } from './message.ts'
import { mapStream } from './stream.ts'

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

type Answer<Method extends DescMethod> = Method['methodKind'] extends 'server_streaming'
  ? AsyncIterable<RowOf<Method['output']>>
  : RowOf<Method['output']> | Promise<RowOf<Method['output']>>

/** The handlers of a service. They return rows (message.ts). */
export type Handlers<Service extends DescService> = {
  [Name in keyof Service['method']]: (
    request: Parameters<MethodImpl<Service['method'][Name]>>[0],
    context: HandlerContext,
  ) => Answer<Service['method'][Name]>
}

/** The implementation of the core: an object of handlers per service. Absent handlers respond `unimplemented`. */
export type Implementation = {
  [Name in keyof typeof contract]?: Partial<Handlers<(typeof contract)[Name]>>
}

/** A handler of any RPC, unary or streaming. */
export type Handler = (request: unknown, context: HandlerContext) => unknown

/** The implementation's handlers by RPC. They return messages. */
export function listHandlers(implementation: Implementation): Map<DescMethod, Handler> {
  const found = new Map<DescMethod, Handler>()
  for (const [name, service] of Object.entries(contract)) {
    const handlers = implementation[name as keyof Implementation] as Record<string, Handler> | undefined
    for (const method of service.methods) {
      const handler = handlers?.[method.localName]?.bind(handlers)
      if (handler) found.set(method, withMessages(method, handler))
    }
  }
  return found
}

function withMessages({ methodKind, output }: DescMethod, handler: Handler): Handler {
  const map = (row: unknown) => toMessage(output, row as RowOf<typeof output>)
  return methodKind === 'server_streaming'
    ? (request, context) => mapStream(handler(request, context) as AsyncIterable<unknown>, { map })
    : async (request, context) => map(await handler(request, context))
}

/** Registers the implementation. Throws if an RPC has no access option, or combines `gateway` with other access rules. */
export function createRoutes(implementation: Implementation): (router: ConnectRouter) => void {
  for (const method of services.flatMap((service) => service.methods)) {
    if (!hasOption(method, access)) throw new Error(`${method.name} has no access option`)
    checkGatewayOnly(method.name, getOption(method, access))
  }
  const handlers = listHandlers(implementation)
  return (router) => {
    for (const service of services) {
      const methods = service.methods.map((method) => [method.localName, handlers.get(method)])
      router.service(service, Object.fromEntries(methods))
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
