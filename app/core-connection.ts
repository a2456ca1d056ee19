// The HTTP/2 connection of a gateway to its core: one, kept open and watched. Of several cores one is asked for as long as
// it answers; when it goes, or falls silent, the next.
//
// Connect's own Http2SessionManager is not used: its timer pings a connection that is gone, which ends the process.
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'
import type { ConnectTransportOptions } from '@connectrpc/connect-node'

type SessionManager = NonNullable<Extract<ConnectTransportOptions, { httpVersion: '2' }>['sessionManager']>

interface CoreConnection extends SessionManager {
  close(): void
}

export interface CoreConnectionOptions {
  /** Milliseconds that a core may take to accept a connection and answer the first ping on it. */
  connectTimeoutMs: number
  /** Milliseconds between two pings. */
  pingIntervalMs: number
  /** So many pings may be without an answer, and no byte come; with the next one the core counts as silent. */
  maxUnanswered: number
  /** Which of the cores is tried first. */
  first: number
}

/** `urls`: base addresses, at least one. Connects with the first request. */
export function createCoreConnection(urls: string[], options: CoreConnectionOptions): CoreConnection {
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

  return {
    // Each session puts the address of its own core in the place of this one.
    authority,
    async request(method, path, headers, streamOptions) {
      const open = await connected()
      return open.request({ ...headers, ':method': method, ':path': path }, streamOptions)
    },
    notifyResponseByteRead() {
      unanswered = 0
    },
    close: () => session?.destroy(),
  }
}

/** Stands for whichever core is asked. */
export const authority = 'http://core'

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
