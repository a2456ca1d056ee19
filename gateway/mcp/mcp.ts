// MCP over streamable HTTP, at `/v2/{slug}/mcp` and `/mcp/{slug}`. Requests are stateless: any gateway answers them. Calls are
// recorded for analytics in the background. A failure to record does not affect the client.
import { randomUUID } from 'node:crypto'
import type { DescMethod, MessageInitShape } from '@bufbuild/protobuf'
import { McpService } from '../../gen/lectern/v1/mcp_pb.js'
import type { CallerReader } from '../caller.ts'
import type { CallContext, CoreClient } from '../core-client.ts'
import { Refusal } from '../errors.ts'
import { type HttpRequest, headerNames } from '../http.ts'
import { readQuery } from '../query.ts'
import type { Route } from '../router.ts'

interface McpOptions {
  core: CoreClient
  caller: CallerReader
  report(error: unknown, route: string): void
}

const paths = ['/v2/{slug}/mcp', '/mcp/{slug}']
const methods = ['POST', 'GET', 'DELETE'] as const

const foreignHost =
  'The header Host names another server. Set LECTERN_PUBLIC_URL to the public address of this one.'

export function isMcpPath(path: string): boolean {
  return /^\/(v2\/[^/]+\/mcp|mcp\/[^/]+)\/?$/.test(path)
}

export function createMcpRoutes({ core, caller, report }: McpOptions): Route[] {
  return paths.flatMap((path) =>
    methods.map((method) => ({
      method,
      path,
      async answer(request: HttpRequest, { slug = '' }: Record<string, string>) {
        if (caller.hasForeignHost(request)) throw new Refusal('forbidden', foreignHost)
        const query = readQuery(request.query)
        const call = withKey(caller.context('mcp', request), query.get('api_key'))
        const { server: settings } = await core.call(McpService.method.getMcpServer, { slug }, call)
        if (!settings?.enabled) throw new Refusal('not_found', 'MCP is not enabled for this project.')
        // Loaded on first use: the packages take some megabytes.
        const { serveMcp, toolNames } = await import('./server.ts')
        const context = {
          ...{ core, call, slug },
          pageUrl: query.get('domain') || null,
          metadata: query.get('metadata') || settings.metadataTag || null,
        }
        const reportHere = (error: unknown) => report(error, path)
        const usage = createUsage(core, call, slug, reportHere)
        const body = method === 'POST' ? await readBody(request) : null
        const answer = await serveMcp(toFetchRequest(request, caller.base(request), body), {
          ...{ settings, context, report: reportHere },
          toolCalled: usage.toolCalled,
        })
        // When the answer is complete, a tool has counted its call.
        const bytes = new Uint8Array(await answer.arrayBuffer())
        if (answer.ok) usage.served(request, body && JSON.parse(new TextDecoder().decode(body)), toolNames)
        return { status: answer.status, headers: Object.fromEntries(answer.headers), body: bytes }
      },
    })),
  )
}

/** Most clients send `Bearer`. Clients that cannot send headers use the parameter `api_key`. */
function withKey(context: CallContext, apiKey: string | undefined): CallContext {
  const bearer = /^bearer +(\S+)$/i.exec(context.authorization)?.[1]
  const key = bearer ?? (context.authorization === '' && apiKey ? apiKey : undefined)
  return key === undefined ? context : { ...context, authorization: `Api-Key ${key}` }
}

async function readBody(request: HttpRequest): Promise<Uint8Array<ArrayBuffer>> {
  const body = (await request.body()) as Uint8Array<ArrayBuffer>
  // A batch of this size could hold ten thousand calls. The protocol removed batches in June 2025.
  if (/^\s*\[/.test(Buffer.from(body.subarray(0, 100)).toString())) {
    throw new Refusal('invalid', 'A request holds one message: batches are not taken.')
  }
  return body
}

function toFetchRequest(
  { method, path, headers: given, signal }: HttpRequest,
  base: string,
  body: Uint8Array<ArrayBuffer> | null,
): Request {
  const headers = new Headers()
  for (const name of headerNames) if (given[name] !== '') headers.set(name, given[name])
  return new Request(base + path, { method, headers, body, signal })
}

/** Milliseconds for the core to record a call. */
const timeoutMs = 10_000
/** Limits of the contract. */
const maxName = 200
const maxVersion = 100

/** A client's first method: before and since the 2026 protocol. */
const beginnings = ['initialize', 'server/discover']

/** Records the calls in one request. `report` receives errors that clients do not see. */
function createUsage(core: CoreClient, call: CallContext, slug: string, report: (error: unknown) => void) {
  const { recordSession, recordToolCall } = McpService.method
  let isCounted = false

  function record<Rpc extends DescMethod>(rpc: Rpc, input: MessageInitShape<Rpc['input']>) {
    // Its own signal: the client may be gone before the call is recorded.
    core.call(rpc, input, { ...call, signal: AbortSignal.timeout(timeoutMs) }).catch(report)
  }

  function toolCalled(tool: string, isError: boolean) {
    isCounted = true
    record(recordToolCall, { slug, tool, isError })
  }

  return {
    toolCalled,
    /**
     * Records a served request. The first request of a client counts as a session. If no tool counted the call of one of `tools`,
     * its arguments were invalid.
     */
    served({ headers }: HttpRequest, message: unknown, tools: readonly string[]) {
      const { method, params } = (message ?? {}) as { method?: unknown; params?: ClientParams }
      const tool = tools.find((name) => name === params?.name)
      if (method === 'tools/call' && tool !== undefined && !isCounted) toolCalled(tool, true)
      if (!beginnings.includes(String(method))) return
      const info = params?.clientInfo ?? params?._meta?.['io.modelcontextprotocol/clientInfo']
      const clientName = toLabel(headers['x-mcp-client-name'] || info?.name, maxName)
      const clientVersion = toLabel(headers['x-mcp-client-version'] || info?.version, maxVersion)
      record(recordSession, {
        ...{ slug, sessionId: randomUUID() },
        ...(clientName && { clientName }),
        ...(clientVersion && { clientVersion }),
      })
    },
  }
}

interface ClientInfo {
  name?: unknown
  version?: unknown
}

interface ClientParams {
  name?: unknown
  clientInfo?: ClientInfo
  _meta?: { 'io.modelcontextprotocol/clientInfo'?: ClientInfo }
}

/** Name or version that a client reports, as one line, or ''. */
function toLabel(value: unknown, max: number): string {
  if (typeof value !== 'string') return ''
  const line = value.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return [...line].slice(0, max).join('').trim().toWellFormed()
}
