// The HTTP server: the only import of uWebSockets.js. Copies the whole request before the first await, and never writes to
// a client that is gone.
import './http.ts'
import * as uws from 'uWebSockets.js'
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
import { type Body, type BodyKind, createBodies } from './body.ts'
import { Refusal, toErrorResponse } from './errors.ts'
import { type HttpRequest, type HttpResponse, readHeaders } from './http.ts'
import { createSocket, type Socket, type SocketListener, type SocketServer } from './socket.ts'

/**
 * Maximum size of a frame in bytes. A frame that is too large for the chat is read, so that the socket can be closed with a
 * reason (1009). For a frame larger than this, the connection is closed.
 */
const maxFrame = 128 * 1024

/** Bytes buffered for a slow reader before uWebSockets.js drops frames. */
const maxBackpressure = 1024 * 1024

/** Seconds without data or pong from the client until the socket is closed. */
const idleSeconds = 120

/** LIBUS_LISTEN_EXCLUSIVE_PORT: otherwise a second process can share the port and receives some of the connections. */
const exclusivePort = 1

/** Omits the library's name and version from responses. The setting is missing in its types. */
const withoutVersion = '999999990007'
;(uws as unknown as { _cfg(setting: string): void })._cfg(withoutVersion)

/** The overload with host and options, which is missing in the types of uWebSockets.js. */
type Listen = (
  host: string,
  port: number,
  options: number,
  whenDone: (opened: us_listen_socket | false) => void,
) => void

interface HttpServerOptions {
  host: string
  /** 0: any free port. */
  port: number
  /** Never rejects. */
  handle(request: HttpRequest): Promise<HttpResponse>
  sockets: SocketServer
  overflowFolder: string
  /** The caller's network, for quotas. */
  networkOf(request: HttpRequest): string
  bodyKindOf(request: HttpRequest): BodyKind
}

interface SocketState {
  begin(socket: Socket): SocketListener
  socket?: Socket
  listener?: SocketListener
}

export function createHttpServer(options: HttpServerOptions) {
  const { host, port, handle, sockets, networkOf, bodyKindOf } = options
  const openBody = createBodies(options.overflowFolder)
  const app = App() as unknown as Omit<TemplatedApp, 'listen'> & { listen: Listen }
  let socket: us_listen_socket | null = null
  let underWay = 0
  let whenIdle = () => {}

  /** `body`: null if the method has none. `fault`: why the headers are refused, or null. */
  function copyRequest(response: UwsResponse, incoming: UwsRequest) {
    const gone = new AbortController()
    response.onAborted(() => gone.abort())
    const { headers, contentLength, fault } = readHeaders((each) => incoming.forEach(each))
    let body: Body | null = null
    const request: HttpRequest = {
      method: incoming.getMethod().toUpperCase(),
      path: incoming.getUrl(),
      query: incoming.getQuery() ?? '',
      headers,
      peer: Buffer.from(response.getRemoteAddressAsText()).toString(),
      signal: gone.signal,
      body: () => body?.whole() ?? Promise.resolve(new Uint8Array()),
      pieces: () => body?.pieces() ?? nothing(),
    }
    if (hasBody(request.method) && fault === null) {
      body = openBody(bodyKindOf(request), {
        onData: (listener) => response.onData(listener),
        pause: () => response.pause(),
        resume: () => response.resume(),
        ...{ contentLength, network: networkOf(request), signal: gone.signal },
      })
    }
    return { request, body, fault }
  }

  app.ws<SocketState>('/ws/*', {
    maxPayloadLength: maxFrame,
    maxBackpressure,
    idleTimeout: idleSeconds,
    sendPingsAutomatically: true,
    // Must be synchronous: if a socket that is upgraded within its own cork keeps its memory address, uWebSockets.js
    // treats it as an HTTP socket when the cork ends, and may close it (seen on a busy machine).
    upgrade(response, incoming, context) {
      const [key, protocol, extensions] = upgradeHeaders.map((name) => incoming.getHeader(name))
      const { request, fault } = copyRequest(response, incoming)
      try {
        if (fault !== null) throw new Refusal('invalid', fault)
        const state: SocketState = { begin: sockets.upgrade(request) }
        response.upgrade(state, key!, protocol!, extensions!, context)
      } catch (error) {
        send(response, request, toErrorResponse(error), fault !== null)
      }
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
      raw.getUserData().socket?.drained()
    },
    close(raw) {
      const { socket, listener } = raw.getUserData()
      socket?.closed()
      listener?.gone()
    },
  })

  app.any('/*', async (response, incoming) => {
    const { request, body, fault } = copyRequest(response, incoming)
    underWay++
    const answer = await (fault === null ? handle(request) : refuseLater(fault, request.path))
    const isCut = (await body?.drop(request.headers.expect === '')) ?? false
    const mustClose = fault !== null || socket === null || isCut
    if (answer.stream && request.method !== 'HEAD' && !request.signal.aborted) {
      await sendStream(response, request, answer)
    } else {
      await answer.stream?.return(undefined)
      if (!request.signal.aborted) send(response, request, answer, mustClose)
    }
    underWay--
    if (underWay === 0) whenIdle()
  })

  return {
    /** Starts to listen. Returns the port. Rejects if the address is in use or not on this machine. */
    listen(): Promise<number> {
      return new Promise((resolve, reject) => {
        app.listen(host, port, exclusivePort, (opened) => {
          if (!opened) {
            return reject(new Error(`cannot listen on ${host}:${port}: it is in use, or not on this machine`))
          }
          socket = opened
          resolve(us_socket_local_port(opened))
        })
      })
    },
    /** Stops accepting connections. From then on, each answer ends its connection. */
    stopListening() {
      if (socket) us_listen_socket_close(socket)
      socket = null
    },
    /** Lets requests finish for at most `graceMs`, then closes every connection. */
    async close(graceMs: number) {
      if (underWay > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, graceMs)
          whenIdle = () => {
            clearTimeout(timer)
            // Lets the last write leave the process before connections are closed.
            setImmediate(resolve)
          }
        })
      }
      app.close()
    },
  }
}

const upgradeHeaders = ['sec-websocket-key', 'sec-websocket-protocol', 'sec-websocket-extensions'] as const

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * Prevents request smuggling. While a response is pending, uWebSockets.js closes a connection that sends another request, so
 * bytes after refused headers are never read as a request.
 */
async function refuseLater(fault: string, path: string): Promise<HttpResponse> {
  await new Promise((resolve) => setImmediate(resolve))
  return toErrorResponse(new Refusal('invalid', fault), path)
}

function hasBody(method: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method)
}

/** Sends as fast as the client reads. */
async function sendStream(
  response: UwsResponse,
  { signal }: HttpRequest,
  answer: HttpResponse,
): Promise<void> {
  let wake = () => {}
  response.onWritable(() => {
    wake()
    return true
  })
  signal.addEventListener('abort', () => wake())
  response.cork(() => writeHead(response, answer))
  try {
    for await (const piece of answer.stream!) {
      if (signal.aborted) break
      const drained = new Promise<void>((resolve) => {
        wake = resolve
      })
      let isSent = true
      response.cork(() => {
        isSent = response.write(piece)
      })
      if (!isSent) await drained
    }
  } catch {
    if (!signal.aborted) response.close()
    return
  }
  if (!signal.aborted) response.cork(() => response.end())
}

function writeHead(response: UwsResponse, { status, headers }: HttpResponse) {
  response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`)
  for (const [name, value] of Object.entries(headers)) response.writeHeader(name, value)
}

function send(response: UwsResponse, request: HttpRequest, answer: HttpResponse, mustClose: boolean): void {
  const { status, body } = answer
  response.cork(() => {
    writeHead(response, answer)
    const isBodiless = status === 204 || status === 304
    if (!isBodiless && request.method !== 'HEAD') return response.end(body, mustClose)
    const length = Buffer.byteLength(body)
    if (mustClose) return response.endWithoutBody(length, true)
    // With a length, uWebSockets.js would wait for a body and close the connection at the next request.
    if (!isBodiless) response.writeHeader('content-length', String(length))
    response.endWithoutBody()
  })
}
