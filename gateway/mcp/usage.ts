// What MCP clients do, told to the core for the analytics. Nobody waits for it, and a client is served without it.
import { randomUUID } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import {
  McpService,
  RecordSessionRequestSchema,
  RecordToolCallRequestSchema,
} from '../../gen/lectern/v1/mcp_pb.js'
import type { CallContext, CoreClient } from '../core-client.ts'
import type { HttpRequest } from '../http.ts'

export interface Usage {
  /**
   * Records a served request: the first request of a client counts as a session. A call of one of `tools` that no tool has
   * counted was refused for its arguments.
   */
  served(request: HttpRequest, message: unknown, tools: readonly string[]): void
  toolCalled(tool: string, isError: boolean): void
}

interface UsageOptions {
  core: Pick<CoreClient, 'call'>
  call: CallContext
  slug: string
  /** Told of what no client is told. */
  report(error: unknown): void
}

/** How long the core may take. */
const timeoutMs = 10_000
/** As the contract takes them. */
const maxName = 200
const maxVersion = 100

/** By what a client begins: before and since the protocol of 2026. */
const beginnings = ['initialize', 'server/discover']

export function createUsage({ core, call, slug, report }: UsageOptions): Usage {
  // The client may be gone before it is counted.
  const context = () => ({ ...call, signal: AbortSignal.timeout(timeoutMs) })

  let isCounted = false

  function toolCalled(tool: string, isError: boolean) {
    isCounted = true
    const called = create(RecordToolCallRequestSchema, { slug, tool, isError })
    core.call(McpService.method.recordToolCall, called, context()).catch(report)
  }

  return {
    served({ headers }, message, tools) {
      const { method, params } = (message ?? {}) as { method?: unknown; params?: ClientParams }
      const tool = tools.find((name) => name === params?.name)
      if (method === 'tools/call' && tool !== undefined && !isCounted) toolCalled(tool, true)
      if (!beginnings.includes(String(method))) return
      const info = params?.clientInfo ?? params?._meta?.['io.modelcontextprotocol/clientInfo']
      const clientName = toLabel(headers['x-mcp-client-name'] || info?.name, maxName)
      const clientVersion = toLabel(headers['x-mcp-client-version'] || info?.version, maxVersion)
      const session = create(RecordSessionRequestSchema, {
        slug,
        sessionId: randomUUID(),
        ...(clientName && { clientName }),
        ...(clientVersion && { clientVersion }),
      })
      core.call(McpService.method.recordSession, session, context()).catch(report)
    },
    toolCalled,
  }
}

interface ClientParams {
  name?: unknown
  clientInfo?: ClientInfo
  _meta?: { 'io.modelcontextprotocol/clientInfo'?: ClientInfo }
}

interface ClientInfo {
  name?: unknown
  version?: unknown
}

/** One line of what a client says of itself; '' where it says nothing. */
function toLabel(said: unknown, max: number): string {
  if (typeof said !== 'string') return ''
  const line = said.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return [...line].slice(0, max).join('').trim().toWellFormed()
}
