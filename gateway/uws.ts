// The HTTP server: the only import of uWebSockets.js. Everything of a request is copied before the first await, and
// nothing is written to a client that has left.
import './header-limit.ts'
import {
  App,
  type TemplatedApp,
  type HttpRequest as UwsRequest,
  type HttpResponse as UwsResponse,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import { type Answer, type HeaderName, type HttpRequest, headerNames } from './http.ts'
import { Refusal } from './refusal.ts'
import { createSocket, type Socket, type SocketListener, type SocketServer } from './socket.ts'

/** Largest body, in bytes. */
export const greatestBody = 1024 * 1024

/**
 * Largest frame that is read to its end, in bytes: a client that sends more than the chat takes is told why it is
 * closed (1009), and one that sends more than this is cut off.
 */
const greatestFrame = 4 * 1024 * 1024

/** What a socket may hold for a slow reader, in bytes, before uWebSockets.js drops frames. */
const greatestBackpressure = 1024 * 1024

/** Seconds without a sign of the client, pings unanswered. */
const idleSeconds = 120

/** LIBUS_LISTEN_EXCLUSIVE_PORT: else a second process gets the same port too, and each of them some of the connections. */
const exclusivePort = 1

/** The form with host and options, which the types of uWebSockets.js leave out. */
type Listen = (
  host: string,
  port: number,
  options: number,
  whenDone: (opened: us_listen_socket | false) => void,
) => void

export interface HttpServer {
  /** Starts to listen; answers the port. Throws where the address is taken or not of this machine. */
  listen(): Promise<number>
  /** No more connections come. */
  stopListening(): void
  /** Lets what is under way finish for at most `graceMs`, then closes every connection. */
  close(graceMs: number): Promise<void>
}

export interface HttpServerOptions {
  host: string
  /** 0: any free one. */
  port: number
  /** Never rejects. */
  handle(request: HttpRequest): Promise<Answer>
  /** Owns the WebSockets below `/ws/`. */
  sockets: SocketServer
}

/** What belongs to an open socket. */
interface SocketState {
  begin(socket: Socket): SocketListener
  socket: ReturnType<typeof createSocket> | null
  listener: SocketListener | null
}

export function createHttpServer({ host, port, handle, sockets }: HttpServerOptions): HttpServer {
  const app = App() as unknown as Omit<TemplatedApp, 'listen'> & { listen: Listen }
  let socket: us_listen_socket | null = null
  let underWay = 0
  let whenIdle = () => {}

  app.ws<SocketState>('/ws/*', {
    maxPayloadLength: greatestFrame,
    maxBackpressure: greatestBackpressure,
    idleTimeout: idleSeconds,
    sendPingsAutomatically: true,
    // Not later: where a socket that is upgraded within a cork of its own stays at its place in memory, uWebSockets.js
    // takes it for one of HTTP when the cork ends, and may close it (seen on a busy machine).
    upgrade(response, incoming, context) {
      const [key, protocol, extensions] = upgradeHeaders.map((name) => incoming.getHeader(name))
      const request = copyRequest(response, incoming)
      const outcome = sockets.upgrade(request)
      if (typeof outcome !== 'function') return send(response, request, outcome)
      response.upgrade(
        { begin: outcome, socket: null, listener: null },
        key!,
        protocol!,
        extensions!,
        context,
      )
    },
    open(raw) {
      const state = raw.getUserData()
      state.socket = createSocket(raw)
      state.listener = state.begin(state.socket)
    },
    message(raw, bytes) {
      raw.getUserData().listener?.message(new Uint8Array(bytes.slice(0)))
    },
    drain(raw) {
      raw.getUserData().listener?.drain()
    },
    close(raw) {
      const { socket, listener } = raw.getUserData()
      socket?.closed()
      listener?.gone()
    },
  })

  app.any('/*', async (response, incoming) => {
    underWay++
    const request = copyRequest(response, incoming)
    const answer = await handle(request)
    if (!request.signal.aborted) send(response, request, answer)
    underWay--
    if (underWay === 0) whenIdle()
  })

  return {
    listen() {
      return new Promise((resolve, reject) => {
        app.listen(host, port, exclusivePort, (opened) => {
          if (!opened) {
            return reject(new Error(`cannot listen on ${host}:${port}: it is taken, or not of this machine`))
          }
          socket = opened
          resolve(us_socket_local_port(opened))
        })
      })
    },
    stopListening() {
      if (socket) us_listen_socket_close(socket)
      socket = null
    },
    async close(graceMs) {
      if (underWay > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, graceMs)
          whenIdle = () => {
            clearTimeout(timer)
            // What was just written leaves the process before its connection is closed.
            setImmediate(resolve)
          }
        })
      }
      app.close()
    },
  }
}

const upgradeHeaders = ['sec-websocket-key', 'sec-websocket-protocol', 'sec-websocket-extensions'] as const

function copyRequest(response: UwsResponse, incoming: UwsRequest): HttpRequest {
  const gone = new AbortController()
  response.onAborted(() => gone.abort())
  const headers = Object.fromEntries(headerNames.map((name) => [name, incoming.getHeader(name)]))
  const method = incoming.getMethod().toUpperCase()
  const declared = Number(incoming.getHeader('content-length') || 0)
  const body = hasBody(method) ? collect(response, declared, gone.signal) : null
  return {
    method,
    path: incoming.getUrl(),
    query: incoming.getQuery() ?? '',
    headers: headers as Record<HeaderName, string>,
    peer: Buffer.from(response.getRemoteAddressAsText()).toString(),
    signal: gone.signal,
    body: () => body ?? Promise.resolve(new Uint8Array()),
  }
}

function hasBody(method: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method)
}

/** Begins at once, for data that nobody listens to is lost; its outcome waits until it is asked for. */
function collect(response: UwsResponse, declared: number, signal: AbortSignal): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  promise.catch(() => {})
  signal.addEventListener('abort', () => reject(signal.reason))
  const chunks: Buffer[] = []
  let length = 0
  const refuse = () => {
    chunks.length = 0
    reject(new Refusal('too_large', `The body must not be larger than ${greatestBody} bytes.`))
  }
  if (declared > greatestBody) refuse()
  response.onData((chunk, isLast) => {
    length += chunk.byteLength
    if (length > greatestBody) return refuse()
    chunks.push(Buffer.from(chunk.slice(0)))
    if (isLast) resolve(Buffer.concat(chunks))
  })
  return promise
}

function send(response: UwsResponse, request: HttpRequest, { status, headers, body }: Answer): void {
  response.cork(() => {
    response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`)
    for (const [name, value] of Object.entries(headers)) response.writeHeader(name, value)
    if (status === 204 || status === 304) response.endWithoutBody()
    else if (request.method === 'HEAD') response.endWithoutBody(Buffer.byteLength(body))
    else response.end(body)
  })
}
