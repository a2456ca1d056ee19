// McpService: describes a project to MCP clients, and records their sessions and tool calls for analytics.
import { createHash } from 'node:crypto'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { McpService } from '../../gen/lectern/v1/mcp_pb.js'
import type { SearchRecorder } from '../analytics/search-recorder.ts'
import { callerOf, projectOf } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { AnalyticsEvent } from '../store/analytics.ts'

interface McpDeps {
  recorder: Pick<SearchRecorder, 'record'>
  now(): Date
  newUuid(): string
}

export function createMcpService({ recorder, now, newUuid }: McpDeps): ServiceImpl<typeof McpService> {
  function record(context: HandlerContext, event: Pick<AnalyticsEvent, 'uuid' | 'kind' | 'name' | 'number'>) {
    const { uuid: project } = projectOf(context)
    recorder.record({ project, at: now().toISOString(), query: null, url: null, ...event })
    return {}
  }

  return {
    /** The uuid is derived from the session id, so that a repeated call counts once. */
    recordSession: ({ sessionId, clientName, clientVersion }, context) =>
      record(context, {
        uuid: createHash('sha256')
          .update(`${projectOf(context).uuid} ${sessionId}`)
          .digest('hex'),
        kind: 'session',
        name: [clientName, clientVersion].filter(Boolean).join(' ') || null,
        number: null,
      }),

    recordToolCall: ({ tool, isError }, context) =>
      record(context, { uuid: newUuid(), kind: 'tool_call', name: tool, number: Number(isError) }),

    async getMcpServer(_request, context) {
      const { name, config, allowedDomains } = projectOf(context)
      const { enabled, serverName, metadataTag } = config.mcp
      // If the project has allowed_domains, the guard has checked the origin.
      const { origin } = callerOf(context)
      if (origin !== null && allowedDomains.length === 0 && !isLocalhost(origin)) {
        throw new DomainError(
          'domain_not_allowed',
          'MCP answers pages of other sites only where the project’s allowed_domains name them.',
        )
      }
      return {
        server: {
          enabled,
          name: serverName ?? name,
          projectName: name,
          ...(metadataTag !== null && { metadataTag }),
        },
      }
    },
  }
}

/** Whether the origin is on localhost, such as a developer tool. */
function isLocalhost(origin: string): boolean {
  const host = URL.parse(origin)?.hostname ?? ''
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}
