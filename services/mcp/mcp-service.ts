// McpService: a project as MCP clients see it.
import type { ServiceImpl } from '@connectrpc/connect'
import type { McpService } from '../../gen/lectern/v1/mcp_pb.js'
import { callerOf, projectOf } from '../context.ts'
import { DomainError } from '../errors.ts'

export function createMcpService(): Pick<ServiceImpl<typeof McpService>, 'getMcpServer'> {
  return {
    async getMcpServer(_request, context) {
      const { name, config, allowedDomains } = projectOf(context)
      const { enabled, serverName, metadataTag } = config.mcp
      // Where domains are allowed, the origin has been judged by them.
      const { origin } = callerOf(context)
      if (origin !== null && allowedDomains.length === 0 && !isOfThisMachine(origin)) {
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

/** A page that the caller's own machine serves, as developers' tools are. */
function isOfThisMachine(origin: string): boolean {
  const host = URL.parse(origin)?.hostname ?? ''
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}
