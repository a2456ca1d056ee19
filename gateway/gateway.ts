// The gateway: routes of REST, MCP, pages and operation behind one HTTP server.
import { randomUUID } from 'node:crypto'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Transport } from '@connectrpc/connect'
import { LRUCache } from 'lru-cache'
import type { Registry } from 'prom-client'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { type LogLine, StatusService } from '../gen/lectern/v1/status_pb.js'
import { createCallerReader } from './caller.ts'
import { type AttestOrigin, createCoreClient } from './core-client.ts'
import { isUnforeseen, Refusal, rateLimited, toErrorResponse } from './errors.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import { createMcpRoutes, isMcpPath } from './mcp/mcp.ts'
import { compress } from './negotiate.ts'
import { createDescription } from './openapi/description.ts'
import { createMetrics, createOperationRoutes, type Readiness } from './operation.ts'
import { createOwnPageRoutes } from './own-pages.ts'
import { createPageRoutes, createWidgetRoutes, type Pages } from './pages.ts'
import { toRoute } from './rest.ts'
import { restV1 } from './rest-v1.ts'
import { restV2 } from './rest-v2.ts'
import { createRouter, type Route } from './router.ts'
import { createHttpServer } from './uws.ts'
import { createChatSockets, readTarget, toOwnContext } from './ws-chat.ts'

export interface GatewayOptions {
  /** Transport to the core: in memory or over HTTP. */
  transport: Transport
  /** Address to listen on. Port 0: any free port. */
  address: { host: string; port: number }
  /** LECTERN_PUBLIC_URL. */
  publicUrl: string | null
  /** LECTERN_DATA. Holds uploads that exceed memory until they are read. */
  dataFolder: string
  /** LECTERN_TRUST_PROXY. */
  trustProxy: readonly string[]
  /** Identifies a caller for limits: the keyed hash of its network, the same as in the core. */
  networkKey(address: string): string
  attestOrigin: AttestOrigin
  readiness: Readiness
  /** Metrics of the rest of the process. */
  processMetrics?: Registry | undefined
  pages: Omit<Pages, 'first'>
  log: { error(what: { err: unknown; route: string }, sentence: string): void; warn(sentence: string): void }
  /** Maximum open sockets of all readers; default 20,000. */
  maxSockets?: number
  /** Log lines of this process, if the core is remote. `take` returns those since the last call. */
  logTail?: { take(): LogLine[]; add(lines: LogLine[]): void }
}

const reportInterval = 2_000

const graceMs = 5_000

const onlySockets =
  'This address takes WebSocket connections, and the request is none. A proxy must forward Upgrade and Connection.'

export function createGateway(options: GatewayOptions) {
  const { transport, attestOrigin, publicUrl, trustProxy, networkKey, readiness, pages, log } = options
  const { host } = options.address
  const warn = (text: string) => log.warn(text)
  const caller = createCallerReader({ publicUrl, host, trustProxy, networkKey, warn })
  const metrics = createMetrics()
  const core = createCoreClient({ transport, attestOrigin, whenSearched: metrics.question })
  /** Null while the core is unavailable. */
  async function first(request: HttpRequest): Promise<string | null> {
    const context = caller.context('v2', request)
    const answer = await core.call(ProjectService.method.getFirstProject, {}, context).catch(() => null)
    return answer?.slug ?? null
  }
  const closing = new AbortController()
  const routes: Route[] = [
    ...restV1.map((row) => toRoute(row, { core, caller, surface: 'v1' })),
    ...restV2.map((row) => toRoute(row, { core, caller, closing: closing.signal, surface: 'v2' })),
    createDescription('v1', restV1, caller),
    createDescription('v2', restV2, caller),
    ...createMcpRoutes({
      core,
      caller,
      report: (err, route) => log.error({ err, route }, 'unexpected error'),
    }),
    ...createOperationRoutes(readiness, [metrics.registry, options.processMetrics ?? []].flat()),
    ...createWidgetRoutes(pages.web, { core, caller }),
    ...createOwnPageRoutes({ core, caller }),
    ...createPageRoutes({ ...pages, first }),
  ]
  const router = createRouter(routes)
  const countRequest = createRequestLimit()

  async function handle(request: HttpRequest): Promise<HttpResponse> {
    const begun = performance.now()
    const { route, answer, cause } = await answerTo(request)
    // 499: the caller aborted the request. Lectern did not fail.
    const status = request.signal.aborted ? 499 : answer.status
    if (status === 503) log.warn(`503 at ${request.method} ${route}: ${cause ?? answer.body}`)
    metrics.count(route, request.method, status, (performance.now() - begun) / 1000)
    return { ...answer, headers: { ...defaultHeaders(request.path), ...answer.headers } }
  }

  async function answerTo(
    request: HttpRequest,
  ): Promise<{ route: string; answer: HttpResponse; cause?: unknown }> {
    let path = 'none'
    try {
      if (request.method === 'OPTIONS') {
        const headers = preflightHeaders(request.path, router.methods(request.path))
        return { route: path, answer: { status: 204, headers, body: '' } }
      }
      // A proxy that does not forward the header Upgrade makes a plain request of it.
      if (readTarget(request.path))
        throw new Refusal('upgrade_required', onlySockets, {}, { upgrade: 'websocket' })
      const { route, parameters } = router.match(request.method, request.path)
      path = route.path
      if (route.isLimited) countRequest(caller.network(request))
      const answer = await route.answer(request, parameters)
      return { route: path, answer: await compress(answer, request.headers['accept-encoding']) }
    } catch (error) {
      if (isUnforeseen(error) && !request.signal.aborted) {
        log.error({ err: error, route: path }, 'unexpected error')
      }
      return { route: path, answer: toErrorResponse(error, request.path), cause: error }
    }
  }

  const sockets = createChatSockets({ core, caller, metrics, log, max: options.maxSockets })
  const uuid = randomUUID()
  const startedAt = timestampFromMs(Date.now() - process.uptime() * 1_000)
  async function reportLoad() {
    const lines = options.logTail?.take() ?? []
    const memoryBytes = process.memoryUsage.rss()
    const load = { uuid, startedAt, memoryBytes, ...sockets.load(), rateLimited: metrics.rateLimited() }
    await core
      .call(StatusService.method.reportGateway, { load, lines }, toOwnContext())
      // The next report includes them.
      .catch(() => options.logTail?.add(lines))
  }
  let reports: NodeJS.Timeout | undefined
  const server = createHttpServer({
    ...options.address,
    handle,
    sockets,
    overflowFolder: options.dataFolder,
    networkOf: caller.network,
    bodyKindOf: ({ method, path, headers }) =>
      router.find(method, path)?.bodyKind?.(headers['content-type']) ?? 'open',
  })
  return {
    /** Starts to listen. Returns the port. Rejects if the address is in use. */
    async listen(): Promise<number> {
      await sockets.open()
      reports = setInterval(reportLoad, reportInterval).unref()
      return server.listen()
    },
    /** Asks the core now for blocked addresses, in addition to once a second. Never rejects. */
    refreshBlocks: () => sockets.refreshBlocks(),
    /** Closes the sockets, stops listening, lets requests finish for at most 5 s, closes every connection. */
    async close() {
      server.stopListening()
      clearInterval(reports)
      closing.abort()
      await sockets.close(graceMs)
      await server.close(graceMs)
    },
  }
}

// Headers for browsers. Pages of all sites may call the API, because a browser never sends a key by itself. The pages
// for operators and readers belong to this site only.
const everywhere = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
const ofApi = {
  ...everywhere,
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, allow',
}
const ofThisSite = { ...everywhere, 'cross-origin-resource-policy': 'same-origin' }

/** Default headers of every response at the path, including errors. */
export function defaultHeaders(path: string): Record<string, string> {
  return path.startsWith('/api/') || path.startsWith('/widget') || isMcpPath(path) ? ofApi : ofThisSite
}

const apiHeaders = 'authorization, content-type, x-chat-restore-token, x-lectern-team'
const mcpHeaders =
  'authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, x-mcp-client-name, x-mcp-client-version'

/** Headers of a preflight response. `methods`: those of the address. Null if it is unknown: all are allowed. */
export function preflightHeaders(path: string, methods: string[] | null): Record<string, string> {
  const allow = (methods ?? ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']).join(', ')
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': isMcpPath(path) ? mcpHeaders : apiHeaders,
    'access-control-max-age': '86400',
    ...(methods && { allow }),
  }
}

const windowMs = 60_000
const maxRequests = 600
/** Maximum networks that are counted. More evict the oldest. */
const maxNetworks = 10_000

/**
 * Limits requests that the gateway answers itself, by network, in a fixed window of one minute from the first request. The
 * returned function counts a request, and throws Refusal `rate_limited` above the limit.
 */
export function createRequestLimit(): (network: string) => void {
  const counts = new LRUCache<string, number>({ max: maxNetworks, ttl: windowMs, noUpdateTTL: true })

  return (network) => {
    const count = (counts.get(network) ?? 0) + 1
    counts.set(network, count)
    if (count <= maxRequests) return
    const seconds = Math.max(1, Math.ceil(counts.getRemainingTTL(network) / 1000))
    throw rateLimited('Too many requests came from this address.', seconds)
  }
}
