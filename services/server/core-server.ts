// The core's listener: gRPC, gRPC-Web and Connect over HTTP/2 (without TLS) and HTTP/1.1 on one port, with health
// and reflection.
import type { EventEmitter } from 'node:events'
import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  constants,
  createServer as createHttp2,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Code, ConnectError, type ConnectRouter, cors, createContextValues } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { Health } from '../../gen/grpc/health/v1/health_pb.js'
import { peerKey } from '../context.ts'
import { services } from '../routes.ts'
import { type Core, maxMessageBytes } from './core.ts'
import { createBackendCheck, createHealth, type Ping } from './health.ts'
import { addReflection } from './reflection.ts'

export interface CoreServerOptions {
  /** Port 0: any free port. */
  address: { host: string; port: number }
  /** Pings for health: `store`, `index`, `runs`. */
  backends: Record<string, Ping>
  /** Enables `/metrics`. */
  metrics?: { contentType: string; metrics(): Promise<string> }
  /** Overrides the defaults, for tests. */
  limits?: Partial<Limits>
}

interface Limits {
  connections: number
  /** HTTP/1.1: milliseconds to receive the head of a request. */
  head: number
  /** HTTP/2: milliseconds without data before an incomplete request is canceled. */
  silence: number
  /** HTTP/2: milliseconds before a connection without calls is closed. */
  idle: number
}

const defaultLimits: Limits = { connections: 1_000, head: 10_000, silence: 60_000, idle: 60_000 }
/** HTTP/1.1: milliseconds to receive a request. */
const requestTimeout = 60_000
/** Maximum concurrent calls of a connection: enough for a gateway with the maximum of 200 live answers, and short calls. */
const maxStreams = 250

/** Maximum calls that begin in one turn of the event loop. Each takes up to a millisecond, and a client may send hundreds. */
const maxBegun = 16

export type CoreServer = Awaited<ReturnType<typeof openCoreServer>>

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** Begins at most `maxBegun` calls per turn of the event loop, in order. */
function inTurns(begin: Serve): Serve {
  const waiting: Parameters<Serve>[] = []
  function next() {
    for (const call of waiting.splice(0, maxBegun)) begin(...call)
    if (waiting.length > 0) setImmediate(next)
  }
  return (...call) => {
    if (waiting.push(call) === 1) setImmediate(next)
  }
}

/** Node has such a limit for HTTP/1.1, but not for HTTP/2 streams. */
function limitSilence(stream: ServerHttp2Stream, milliseconds: number) {
  let hasEnded = false
  stream.once('end', () => {
    hasEnded = true
  })
  stream.setTimeout(milliseconds)
  stream.on('timeout', () => {
    if (!hasEnded) stream.close(constants.NGHTTP2_CANCEL)
  })
}

/** Closes a connection without calls. Pings of the client keep it open. */
function closeIdle(session: ServerHttp2Session, milliseconds: number) {
  let calls = 0
  session.on('stream', (stream) => {
    calls += 1
    stream.once('close', () => {
      calls -= 1
      // The end of a call does not restart the timeout.
      if (calls === 0 && !session.destroyed) session.setTimeout(milliseconds)
    })
  })
  session.on('timeout', () => {
    if (calls === 0) session.close()
  })
  session.setTimeout(milliseconds)
}

/** Whether the RPC is bidirectional. Only reflection is: its client may pause between requests. */
function isTwoWay(path: string | undefined): boolean {
  return path?.startsWith('/grpc.reflection.') ?? false
}

/** Allows all origins, because keys are sent in a header and never in a cookie. */
const preflight = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': cors.allowedMethods.join(', '),
  'access-control-allow-headers': [...cors.allowedHeaders, 'authorization', 'x-lectern-team'].join(', '),
  'access-control-max-age': '7200',
}

/** Responds to preflight requests, and adds CORS headers to other responses. Responds 400 to an invalid request. */
function handleCors(
  request: IncomingMessage,
  response: ServerResponse,
  handle: ReturnType<typeof connectNodeAdapter>,
): void {
  if (request.method === 'OPTIONS') {
    response.writeHead(204, preflight).end()
    return
  }
  if (request.headers.origin) {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-expose-headers', cors.exposedHeaders.join(', '))
  }
  try {
    handle(request, response)
  } catch {
    // The adapter throws if host and path are not a valid address.
    response.writeHead(400).end()
  }
}

/** Without CORS: metrics are for monitoring systems, not for web pages. */
async function sendMetrics(registry: NonNullable<CoreServerOptions['metrics']>, response: ServerResponse) {
  const text = await registry.metrics()
  response.writeHead(200, { 'content-type': registry.contentType }).end(text)
}

/** Starts to listen. Rejects if the address is not available. */
export async function openCoreServer(core: Core, options: CoreServerOptions) {
  const shutdown = new AbortController()
  const limits = { ...defaultLimits, ...options.limits }
  const away = createBackendCheck(options.backends)
  const names = services.map((service) => service.typeName)
  const health = createHealth(options.backends, away, names)
  const toHandler = ({ routes, interceptors }: Core) =>
    connectNodeAdapter({
      routes(router: ConnectRouter) {
        routes(router)
        router.service(Health, health)
        addReflection(router, [...services, Health])
      },
      interceptors,
      readMaxBytes: maxMessageBytes,
      // Rejects misspelled fields.
      jsonOptions: { ignoreUnknownFields: false },
      shutdownSignal: shutdown.signal,
      contextValues: (request) => createContextValues().set(peerKey, request.socket.remoteAddress ?? ''),
    })
  let handle = toHandler(core)
  const { metrics } = options
  const serve = inTurns((request, response) => {
    if (metrics && request.url === '/metrics') sendMetrics(metrics, response)
    else handleCors(request, response, handle)
  })

  const http1 = createHttp1(
    { headersTimeout: limits.head, requestTimeout, connectionsCheckingInterval: limits.head / 5 },
    serve,
  )
  // This server never listens, but its timeouts for slow clients start with this event.
  http1.emit('listening')
  const sessions = new Set<ServerHttp2Session>()
  const http2 = createHttp2({ settings: { maxConcurrentStreams: maxStreams } }, serve as never)
  http2.on('stream', (stream, headers) => {
    if (!isTwoWay(headers[':path'])) limitSilence(stream, limits.silence)
  })
  http2.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => session.destroy())
    closeIdle(session, limits.idle)
  })

  const sockets = new Set<Socket>()
  const listener = createPrefaceServer(http1, http2)
  listener.maxConnections = limits.connections
  listener.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const { address: wanted } = options
  await new Promise<void>((resolve, reject) => {
    listener.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`cannot listen on ${wanted.host}:${wanted.port}: ${error.code}`, { cause: error })),
    )
    listener.listen(wanted.port, wanted.host, resolve)
  })
  const { address, port } = listener.address() as AddressInfo

  return {
    host: address,
    port,
    /** Names of the unavailable backends. */
    away,
    /** Directs new calls to another core. Calls in progress continue on the previous one. */
    serve(next: Core) {
      handle = toHandler(next)
    },
    /** Accepts no more calls. Closes connections once their calls end, or after `graceMs`. */
    async close(graceMs = 2_000) {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()))
      shutdown.abort(new ConnectError('the server is shutting down', Code.Unavailable))
      for (const session of sessions) session.close()
      http1.close()
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, graceMs)
      await closed
      clearTimeout(cut)
    },
  }
}

/** HTTP/2 connections begin with `PRI * HTTP/2.0`. No HTTP/1.1 method begins like this. */
const preface = Buffer.from('PRI')
/** Milliseconds to wait for the first bytes of a connection. */
const silenceMs = 10_000

/** Creates a server that passes each socket to one of the two servers by its first bytes. */
function createPrefaceServer(http1: EventEmitter, http2: EventEmitter) {
  return createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.setTimeout(silenceMs, () => socket.destroy())
    let start = Buffer.alloc(0)
    socket.on('data', look)

    /** Reads until the protocol is known, since bytes may arrive one at a time. */
    function look(chunk: Buffer) {
      start = Buffer.concat([start, chunk])
      const length = Math.min(start.length, preface.length)
      const isHttp2 = start.subarray(0, length).equals(preface.subarray(0, length))
      if (isHttp2 && length < preface.length) return
      socket.off('data', look)
      socket.setTimeout(0)
      socket.pause()
      socket.unshift(start)
      const server = isHttp2 ? http2 : http1
      server.emit('connection', socket)
      if (!isHttp2) socket.resume()
    }
  })
}
