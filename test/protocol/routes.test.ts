// Which RPCs answer `unimplemented`: none.
import type { DescMethod } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { createAnalyticsService } from '../../services/analytics/analytics-service.ts'
import { createChatService } from '../../services/chat/chat-service.ts'
import { createTurnService } from '../../services/chat/turn-handler.ts'
import { createDocumentService } from '../../services/document/document-service.ts'
import { createAdmissionService } from '../../services/interceptors/admission-service.ts'
import { createKeyService } from '../../services/key/key-service.ts'
import { createLimitService } from '../../services/limit/limit-service.ts'
import { createMcpService } from '../../services/mcp/mcp-service.ts'
import { createOpenApiService } from '../../services/openapi/openapi-service.ts'
import { createAnswerSetupService } from '../../services/project/answer-setup.ts'
import { createProjectService } from '../../services/project/project-service.ts'
import { createRecrawlService } from '../../services/recrawl/recrawl-service.ts'
import { handlersOf, services } from '../../services/routes.ts'
import { createSearchService } from '../../services/search/search-handler.ts'
import { createSourceService } from '../../services/source/source-service.ts'
import { createUploads } from '../../services/source/upload-sources.ts'
import { createSyncService } from '../../services/sync/sync-service.ts'
import { createTeamService } from '../../services/team/team-service.ts'

const nameOf = ({ parent, name }: DescMethod) => `${parent.name}/${name}`

it('has a handler for everything', () => {
  // Making a service does no I/O and asks nothing of its ports.
  const ports = {} as never
  const served = handlersOf({
    projects: { ...createProjectService(ports), ...createAnswerSetupService(ports) },
    sources: { ...createSourceService(ports), ...createUploads(ports) },
    sync: createSyncService(ports),
    recrawl: createRecrawlService(ports),
    search: createSearchService(ports),
    documents: createDocumentService(ports),
    keys: createKeyService(ports),
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
