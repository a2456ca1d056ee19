// The gateway of this process, the files it serves, and its connection to cores in other processes (LECTERN_CORE_URL).
import { randomInt } from 'node:crypto'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { fileURLToPath } from 'node:url'
import { Code, ConnectError, createClient, type Interceptor, type Transport } from '@connectrpc/connect'
import { type ConnectTransportOptions, createConnectTransport } from '@connectrpc/connect-node'
import { createGateway, type GatewayOptions } from '../gateway/gateway.ts'
import { createStatic, openStatic, policies, type StaticFiles } from '../gateway/pages.ts'
import { Health, HealthCheckResponse_ServingStatus as Status } from '../gen/grpc/health/v1/health_pb.js'
import type { Config } from '../services/config.ts'
import { createNetworkKey } from '../services/limit/network-key.ts'
import { mapStream } from '../services/stream.ts'
import { readOwnManual } from './manual.ts'

const webFolder = new URL('../web/dist/', import.meta.url)
const referenceFolder = new URL('../web/reference/', import.meta.url)

interface OpenGatewayOptions
  extends Pick<
    GatewayOptions,
    'transport' | 'attestOrigin' | 'readiness' | 'processMetrics' | 'log' | 'logTail'
  > {
  config: Config
  /** LECTERN_SECRET, in base64. */
  secret: string
}

/** Starts to listen. Rejects if the address is in use. */
export async function openGateway(options: OpenGatewayOptions) {
  const { config, transport, attestOrigin, secret, readiness, processMetrics, log, logTail } = options
  const gateway = createGateway({
    transport,
    address: config.http,
    publicUrl: config.publicUrl,
    dataFolder: config.data,
    trustProxy: config.trustProxy,
    networkKey: createNetworkKey(secret),
    attestOrigin,
    readiness,
    processMetrics,
    pages: {
      web: await openStatic(fileURLToPath(webFolder)),
      manual: onFirstUse(async () => createStatic(await readOwnManual())),
      reference: openReference,
    },
    log,
    ...(logTail && { logTail }),
  })
  return { ...gateway, port: await gateway.listen() }
}

/** Swagger UI has two megabytes. */
const openReference = onFirstUse(() => {
  const library = (file: string) => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`))
  const files = {
    'swagger-ui.js': library('swagger-ui-bundle.js'),
    'swagger-ui.css': library('swagger-ui.css'),
  }
  return openStatic(fileURLToPath(referenceFolder), files, policies.library)
})

/** Opens files that most processes never need. After a failure, the next use tries again. */
function onFirstUse(open: () => Promise<StaticFiles>): () => Promise<StaticFiles> {
  let opened: Promise<StaticFiles> | null = null
  return () => {
    opened ??= open().catch((error) => {
      opened = null
      throw error
    })
    return opened
  }
}

/** Names the unavailable backends of a remote core; `core` if the core does not answer. */
export function createRemoteReadiness(transport: Transport): () => Promise<string[]> {
  const health = createClient(Health, transport)
  return async () => {
    try {
      const { statuses } = await health.list({}, { timeoutMs: 4_000 })
      const isBackend = (name: string) => name !== '' && !name.includes('.')
      return Object.entries(statuses)
        .filter(([name, { status }]) => isBackend(name) && status !== Status.SERVING)
        .map(([name]) => name)
    } catch {
      return ['core']
    }
  }
}

export type CoreTransport = ReturnType<typeof createCoreTransport>

/** A core that closes is detected at once; a core that hangs, within three seconds. */
const defaults: Omit<ConnectionOptions, 'first'> = {
  connectTimeoutMs: 1_000,
  pingIntervalMs: 500,
  maxUnanswered: 5,
}

/**
 * Uses Connect's protocol: a unary call takes a third less processor time than over gRPC. One HTTP/2 connection stays open and is pinged.
 * The gateway calls one core until that core closes or stops answering, then the next. `urls`: base addresses of cores, at least one.
 * The first is chosen at random, to spread gateways over cores.
 */
export function createCoreTransport(urls: string[], options: Partial<ConnectionOptions> = {}) {
  const connection = createCoreConnection(urls, { ...defaults, first: randomInt(urls.length), ...options })
  const transport = createConnectTransport({
    httpVersion: '2',
    baseUrl: authority,
    sessionManager: connection.manager,
    // Gateway and core are close to each other: compression costs more than it saves.
    acceptCompression: [],
    interceptors: [mapConnectionError, retryOnce],
  })
  return { ...transport, close: connection.close }
}

/** Connect has many codes for a connection that breaks during a call. Callers get `unavailable` for all of them. */
const mapConnectionError: Interceptor = (next) => async (request) => {
  const seen = (error: unknown) => (request.signal.aborted ? error : toSeen(error))
  try {
    const response = await next(request)
    if (!response.stream) return response
    return {
      ...response,
      message: mapStream(response.message, { map: (message) => message, mapError: seen }),
    }
  } catch (error) {
    throw seen(error)
  }
}

/** Retries a call once, on another core. A closing core refuses calls that it has not started. */
const retryOnce: Interceptor = (next) => async (request) => {
  if (request.stream) return next(request)
  return next(request).catch((error) => {
    if (!String(error).includes('NGHTTP2_REFUSED_STREAM')) throw error
    return next(request)
  })
}

const codesOfLoss = new Set([Code.Aborted, Code.Canceled, Code.Unknown, Code.Internal])

/** Errors of the core itself stay: they have a detail with the reason (guard/guard.ts). */
function toSeen(error: unknown): unknown {
  const { code, details } = ConnectError.from(error)
  if (details.length > 0 || !codesOfLoss.has(code)) return error
  return new ConnectError('the core is away', Code.Unavailable, undefined, undefined, error)
}

type SessionManager = NonNullable<Extract<ConnectTransportOptions, { httpVersion: '2' }>['sessionManager']>

interface ConnectionOptions {
  /** Milliseconds for a core to accept a connection and answer the first ping on it. */
  connectTimeoutMs: number
  /** Milliseconds between two pings. */
  pingIntervalMs: number
  /** Pings without an answer or any other byte from the core. After one more, the connection is closed. */
  maxUnanswered: number
  /** Position in `urls` of the core that is tried first. */
  first: number
}

/**
 * Connects on the first request. Connect's own Http2SessionManager is not used: its timer pings a closed connection, which crashes the
 * process.
 */
function createCoreConnection(urls: string[], options: ConnectionOptions) {
  let at = options.first % urls.length
  let session: ClientHttp2Session | null = null
  let connecting: Promise<ClientHttp2Session> | null = null
  /** Pings since the last byte from the core. */
  let unanswered = 0

  async function connected(): Promise<ClientHttp2Session> {
    if (session && !session.closed && !session.destroyed) return session
    connecting ??= connectAny().finally(() => {
      connecting = null
    })
    return connecting
  }

  async function connectAny(): Promise<ClientHttp2Session> {
    for (const _ of urls) {
      const found = await connectTo(urls[at]!, options.connectTimeoutMs)
      if (found) {
        session = found
        watch(found)
        return found
      }
      at = (at + 1) % urls.length
    }
    throw new ConnectError('no core answers', Code.Unavailable)
  }

  function watch(watched: ClientHttp2Session) {
    unanswered = 0
    const timer = setInterval(() => {
      if (watched.destroyed) return
      if (unanswered >= options.maxUnanswered) {
        at = (at + 1) % urls.length
        const silent = new ConnectError('the core is silent', Code.Unavailable)
        return watched.destroy(silent, constants.NGHTTP2_CANCEL)
      }
      unanswered += 1
      watched.ping((error) => {
        if (!error) unanswered = 0
      })
    }, options.pingIntervalMs)
    timer.unref()
    watched.on('close', () => clearInterval(timer))
  }

  const manager: SessionManager = {
    // Each session replaces it by the address of its own core.
    authority,
    async request(method, path, headers, streamOptions) {
      const open = await connected()
      return open.request({ ...headers, ':method': method, ':path': path }, streamOptions)
    },
    notifyResponseByteRead() {
      unanswered = 0
    },
  }
  return { manager, close: () => session?.destroy() }
}

/** Placeholder for the address of the core that is called. */
const authority = 'http://core'

/** Returns null if no core answers at `url` in time. */
function connectTo(url: string, withinMs: number): Promise<ClientHttp2Session | null> {
  const session = connect(url)
  const timer = setTimeout(() => session.destroy(), withinMs)
  const answered = new Promise<ClientHttp2Session | null>((resolve) => {
    // The kernel accepts connections even if the process hangs. Only the process answers a ping.
    session.on('connect', () => {
      // The timer may have destroyed the session since it connected: a ping would throw.
      if (session.destroyed) return
      session.ping((error) => {
        if (!error) resolve(session)
      })
    })
    session.on('error', () => {})
    session.on('close', () => resolve(null))
  })
  return answered.finally(() => clearTimeout(timer))
}
