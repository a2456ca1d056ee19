// The core's listener: gRPC, gRPC-Web and Connect, over HTTP/2 (without TLS) and HTTP/1.1 on one port, with health
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
  /** Port 0: any that is free. */
  address: { host: string; port: number }
  /** What health asks: `store`, `index`, `runs`. */
  backends: Record<string, Ping>
  /** What `/metrics` shows; there is none where it is left out. */
  metrics?: { contentType: string; render(): Promise<string> }
  /** Other ones than the default, for tests. */
  limits?: Partial<Limits>
}

interface Limits {
  connections: number
  /** Milliseconds that a client over HTTP/1.1 may take for the head of a request. */
  head: number
  /** Milliseconds that a client over HTTP/2 may be silent amid a request. */
  silence: number
  /** Milliseconds that a connection of HTTP/2 is kept on which no call is under way. */
  idle: number
}

const defaultLimits: Limits = { connections: 1_000, head: 10_000, silence: 60_000, idle: 60_000 }
/** Milliseconds that a request over HTTP/1.1 may take to come. */
const requestTimeout = 60_000
/** Calls at once on one connection: a gateway with as many live answers as a core writes (200), plus its short calls. */
const maxStreams = 250

/** Calls that begin in one turn of the event loop: each takes up to a millisecond, and a client may send hundreds at once. */
const maxBegun = 16

export type CoreServer = Awaited<ReturnType<typeof openCoreServer>>

/** Begins at most `max` calls in a turn of the event loop, in their order. */
function inTurns<Call extends unknown[]>(
  max: number,
  begin: (...call: Call) => void,
): (...call: Call) => void {
  const waiting: Call[] = []
  function next() {
    for (const call of waiting.splice(0, max)) begin(...call)
    if (waiting.length > 0) setImmediate(next)
  }
  return (...call) => {
    if (waiting.push(call) === 1) setImmediate(next)
  }
}

/** HTTP/1.1 has such a limit of Node's own; a stream of HTTP/2 would wait for its client for ever. */
function limitSilence(stream: ServerHttp2Stream, milliseconds: number) {
  let isWhole = false
  stream.once('end', () => {
    isWhole = true
  })
  stream.setTimeout(milliseconds)
  stream.on('timeout', () => {
    if (!isWhole) stream.close(constants.NGHTTP2_CANCEL)
  })
}

/** What a client says of the connection alone, as by pings, keeps it open. */
function closeIdle(session: ServerHttp2Session, milliseconds: number) {
  let calls = 0
  session.on('stream', (stream) => {
    calls += 1
    stream.once('close', () => {
      calls -= 1
      // The end of a call does not begin the time anew by itself.
      if (calls === 0 && !session.destroyed) session.setTimeout(milliseconds)
    })
  })
  session.on('timeout', () => {
    if (calls === 0) session.close()
  })
  session.setTimeout(milliseconds)
}

/** Whether both sides go on sending, as only reflection does: its client asks when it likes. */
function isTwoWay(path: string | undefined): boolean {
  return path?.startsWith('/grpc.reflection.') ?? false
}

/** Browsers of any origin may call: keys travel in a header that a page must know, never in a cookie. */
const preflight = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': cors.allowedMethods.join(', '),
  'access-control-allow-headers': [...cors.allowedHeaders, 'authorization', 'x-lectern-team'].join(', '),
  'access-control-max-age': '7200',
}

/** Answers a preflight, or adds what a browser needs to the answer of `handle`. A request that is no HTTP gets a 400. */
function answerBrowser(
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
    // The adapter throws at once where host and path make no address.
    response.writeHead(400).end()
  }
}

/** For a monitoring system, not for web pages: without CORS. */
async function sendMetrics(
  { contentType, render }: NonNullable<CoreServerOptions['metrics']>,
  response: ServerResponse,
) {
  const text = await render()
  response.writeHead(200, { 'content-type': contentType }).end(text)
}

/** Listens; rejects when the address cannot be had. */
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
      // A misspelt field is refused, not ignored.
      jsonOptions: { ignoreUnknownFields: false },
      shutdownSignal: shutdown.signal,
      contextValues: (request) => createContextValues().set(peerKey, request.socket.remoteAddress ?? ''),
    })
  let handle = toHandler(core)
  const { metrics } = options
  const serve = inTurns(maxBegun, (request: IncomingMessage, response: ServerResponse) => {
    if (metrics && request.url === '/metrics') sendMetrics(metrics, response)
    else answerBrowser(request, response, handle)
  })

  const http1 = createHttp1(
    { headersTimeout: limits.head, requestTimeout, connectionsCheckingInterval: limits.head / 5 },
    serve,
  )
  // It never listens itself, but its time limits on slow clients begin with this event.
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
    /** Names of the unavailable backends, as in health. */
    away,
    /** Calls from now on are this core's; those under way stay with the one before. */
    serve(next: Core) {
      handle = toHandler(next)
    },
    /** Takes no more calls, lets those under way end for at most `graceMs`, then cuts them. */
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

/** An HTTP/2 client begins with `PRI * HTTP/2.0`, and no HTTP/1.1 method begins so. */
const preface = Buffer.from('PRI')
/** A client that says nothing for so long is let go. */
const silenceMs = 10_000

/** Creates a server that hands each socket to one of the two, with nothing of what was read lost. */
function createPrefaceServer(http1: EventEmitter, http2: EventEmitter) {
  return createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.setTimeout(silenceMs, () => socket.destroy())
    let start = Buffer.alloc(0)
    socket.on('data', look)

    /** A byte may arrive alone: reads until the two protocols differ. */
    function look(chunk: Buffer) {
      start = Buffer.concat([start, chunk])
      const known = Math.min(start.length, preface.length)
      const alike = start.subarray(0, known).equals(preface.subarray(0, known))
      if (alike && known < preface.length) return
      socket.off('data', look)
      socket.setTimeout(0)
      socket.pause()
      socket.unshift(start)
      const server = alike ? http2 : http1
      server.emit('connection', socket)
      if (!alike) socket.resume()
    }
  })
}
