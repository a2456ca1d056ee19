// The gateway of this process, with the files that it serves, and its calls to cores elsewhere (LECTERN_CORE_URL).
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
import { manualFolder, readManualWithPictures } from './manual.ts'

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

/** Listens; rejects where the address is taken. */
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
      manual: createStatic(await readManualWithPictures(manualFolder)),
      reference: openReference,
    },
    log,
    ...(logTail && { logTail }),
  })
  return { ...gateway, port: await gateway.listen() }
}

let reference: Promise<StaticFiles> | null = null

/** The library that shows descriptions is two megabytes, which most processes never need. */
function openReference(): Promise<StaticFiles> {
  const library = (file: string) => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`))
  const files = {
    'swagger-ui.js': library('swagger-ui-bundle.js'),
    'swagger-ui.css': library('swagger-ui.css'),
  }
  reference ??= openStatic(fileURLToPath(referenceFolder), files, policies.library).catch((error) => {
    reference = null
    throw error
  })
  return reference
}

/** What a core elsewhere says of its backends; `core` where it says nothing. */
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

export interface CoreTransport extends Transport {
  close(): void
}

/** A core that is gone is noticed at once, one that hangs within three seconds. */
const defaults: Omit<ConnectionOptions, 'first'> = {
  connectTimeoutMs: 1_000,
  pingIntervalMs: 500,
  maxUnanswered: 5,
}

/**
 * Over Connect's protocol: a unary call takes a third less processor time than over gRPC. One HTTP/2 connection is kept open and watched.
 * A gateway calls one core as long as it answers; when that core closes, or falls silent, the next. `urls`: base addresses of cores, at
 * least one; the first is chosen at random, so that gateways spread.
 */
export function createCoreTransport(urls: string[], options: Partial<ConnectionOptions> = {}): CoreTransport {
  const connection = createCoreConnection(urls, { ...defaults, first: randomInt(urls.length), ...options })
  const transport = createConnectTransport({
    httpVersion: '2',
    baseUrl: authority,
    sessionManager: connection.manager,
    // Between two processes side by side, compressing costs more than it saves.
    acceptCompression: [],
    interceptors: [mapConnectionError, retryOnce],
  })
  return { ...transport, close: connection.close }
}

/** Connect has many codes for a connection that breaks during a call; callers get `unavailable`. */
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

/** A closing core refuses calls that it has not begun: such a call is retried once, on another core. */
const retryOnce: Interceptor = (next) => async (request) => {
  if (request.stream) return next(request)
  return next(request).catch((error) => {
    if (!String(error).includes('NGHTTP2_REFUSED_STREAM')) throw error
    return next(request)
  })
}

const codesOfLoss = new Set([Code.Aborted, Code.Canceled, Code.Unknown, Code.Internal])

/** What the core says itself has a detail with its reason (guard/guard.ts). */
function toSeen(error: unknown): unknown {
  const { code, details } = ConnectError.from(error)
  if (details.length > 0 || !codesOfLoss.has(code)) return error
  return new ConnectError('the core is away', Code.Unavailable, undefined, undefined, error)
}

type SessionManager = NonNullable<Extract<ConnectTransportOptions, { httpVersion: '2' }>['sessionManager']>

interface ConnectionOptions {
  /** Milliseconds that a core may take to accept a connection and answer the first ping on it. */
  connectTimeoutMs: number
  /** Milliseconds between two pings. */
  pingIntervalMs: number
  /** So many pings may be without an answer, and no byte come; with the next one the core counts as silent. */
  maxUnanswered: number
  /** Which of the cores is tried first. */
  first: number
}

/**
 * Connects with the first request. Connect's own Http2SessionManager is not used: its timer pings a closed connection, which ends the
 * process.
 */
function createCoreConnection(urls: string[], options: ConnectionOptions) {
  let at = options.first % urls.length
  let session: ClientHttp2Session | null = null
  let connecting: Promise<ClientHttp2Session> | null = null
  /** Pings since the core was last heard. */
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
    // Each session puts the address of its own core in the place of this one.
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

/** Stands for whichever core is asked. */
const authority = 'http://core'

/** Null where no core answers there in time. */
function connectTo(url: string, withinMs: number): Promise<ClientHttp2Session | null> {
  const session = connect(url)
  return new Promise((resolve) => {
    const timer = setTimeout(() => session.destroy(), withinMs)
    // Accepting is the system's doing, also for a process that hangs; the ping is the process's own.
    session.on('connect', () => {
      session.ping((error) => {
        if (error) return
        clearTimeout(timer)
        resolve(session)
      })
    })
    session.on('error', () => {})
    session.on('close', () => {
      clearTimeout(timer)
      resolve(null)
    })
  })
}
