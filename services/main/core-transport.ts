// A gateway's way to its core (decisions.md section 1, LECTERN_CORE_URL): one HTTP/2 connection that is kept open and
// watched. Of several cores one that answers is asked; when it goes, the next.
import { randomInt } from 'node:crypto'
import { Code, ConnectError, type Transport } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'

export interface CoreTransport extends Transport {
  close(): void
}

export interface CoreTransportOptions {
  /** Milliseconds that a core may take to accept a connection. */
  connectMs?: number
  /** Milliseconds without a byte after which the core is asked for a sign of life, and that it has for it. */
  pingEveryMs?: number
  pingAnswerMs?: number
  /** Which of the addresses is tried first; any, so that many gateways spread over the cores. */
  first?: number
}

interface Core {
  session: Http2SessionManager
  transport: Transport
}

/** Connects with the first call. `urls`: base addresses, at least one. */
export function createCoreTransport(urls: string[], options: CoreTransportOptions = {}): CoreTransport {
  const { connectMs = 1_000, pingEveryMs = 1_000, pingAnswerMs = 1_500 } = options
  const cores = urls.map((baseUrl): Core => {
    const session = new Http2SessionManager(baseUrl, {
      pingIntervalMs: pingEveryMs,
      pingTimeoutMs: pingAnswerMs,
      pingIdleConnection: true,
      idleConnectionTimeoutMs: Number.POSITIVE_INFINITY,
    })
    return {
      session,
      transport: createGrpcTransport({ baseUrl, sessionManager: session, acceptCompression: [] }),
    }
  })
  let at = options.first ?? randomInt(cores.length)

  /** A call goes only to a core with an open connection: so it is never made twice. */
  async function connected(): Promise<Transport> {
    for (let tried = 0; tried < cores.length; tried++) {
      const core = cores[at]!
      if (await connects(core.session)) return core.transport
      // Of calls that wait side by side, the first moves on for all.
      if (cores[at] === core) at = (at + 1) % cores.length
    }
    throw new ConnectError('no core answers', Code.Unavailable)
  }

  async function connects(session: Http2SessionManager): Promise<boolean> {
    const state = session.state()
    if (state === 'open' || state === 'idle') return (await session.connect()) !== 'error'
    const timer = setTimeout(() => session.abort(new ConnectError('no answer', Code.Unavailable)), connectMs)
    try {
      return (await session.connect()) !== 'error'
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    unary: (async (...call) => (await connected()).unary(...call)) as Transport['unary'],
    stream: (async (...call) => (await connected()).stream(...call)) as Transport['stream'],
    close() {
      for (const { session } of cores) session.abort()
    },
  }
}
