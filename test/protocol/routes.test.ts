// Every RPC has a handler, and none is both for the gateway only and open to others.
import { create, type DescMethod, type MessageInitShape } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { AccessSchema } from '../../gen/lectern/v1/options_pb.js'
import { createAnalyticsService } from '../../services/analytics/analytics-service.ts'
import { createChatService } from '../../services/chat/chat-service.ts'
import { createTurnService } from '../../services/chat/turn-handler.ts'
import { createDocumentService } from '../../services/document/document-service.ts'
import { createAdmissionService } from '../../services/guard/admit.ts'
import { createKeyService } from '../../services/key/key-service.ts'
import { createLimitService } from '../../services/limit/message-limits.ts'
import { createMcpService } from '../../services/mcp/mcp-service.ts'
import { createOpenApiService } from '../../services/openapi/openapi-service.ts'
import { createPageService } from '../../services/page/page-service.ts'
import { createProjectService } from '../../services/project/project-service.ts'
import { createRecrawlService } from '../../services/recrawl/recrawl-service.ts'
import { checkGatewayOnly, listHandlers, services } from '../../services/routes.ts'
import { createSearchService } from '../../services/search/search-service.ts'
import { createSourceService } from '../../services/source/source-service.ts'
import { createUploads } from '../../services/source/upload-sources.ts'
import { createStatusService } from '../../services/status/status-service.ts'
import { createSyncService } from '../../services/sync/sync-service.ts'
import { createTeamService } from '../../services/team/team-service.ts'

const nameOf = ({ parent, name }: DescMethod) => `${parent.name}/${name}`

it('rejects an RPC that is for the gateway only and open to others', () => {
  const rpc = (access: MessageInitShape<typeof AccessSchema>) => () =>
    checkGatewayOnly('Rpc', create(AccessSchema, access))
  expect(rpc({ gateway: true })).not.toThrow()
  expect(rpc({ gateway: true, slugOptional: true })).not.toThrow()
  for (const access of [
    { permission: 'search' },
    { public: true },
    { anyone: true },
    { anyKey: true },
    { admin: true },
    { restoreToken: true },
  ]) {
    expect(rpc({ gateway: true, ...access })).toThrow('Rpc is for the gateway alone')
  }
})

it('has a handler for every RPC', () => {
  // Creating a service does no I/O and does not call its ports.
  const ports = {} as never
  const served = listHandlers({
    projects: createProjectService(ports),
    sources: { ...createSourceService(ports), ...createUploads(ports) },
    sync: createSyncService({ store: {} } as never),
    recrawl: createRecrawlService(ports),
    pages: createPageService(ports),
    search: createSearchService(ports),
    documents: createDocumentService(ports),
    keys: createKeyService(ports),
    status: createStatusService({ pings: {} } as never),
    team: createTeamService(ports),
    chat: { ...createChatService(ports), ...createTurnService(ports) },
    openapi: createOpenApiService(ports),
    analytics: createAnalyticsService(ports),
    limits: createLimitService(ports),
    mcp: createMcpService(ports),
    admission: createAdmissionService(async () => null),
  })
  const methods = services.flatMap((service) => service.methods)
  const missing = methods.filter((method) => !served.has(method)).map(nameOf)
  expect(missing).toEqual([])
})
