// The socket of the chat: opened when something is to be said, and tried again after a loss, slower each time. It sends
// nothing by itself.

/** Milliseconds before each new try; the last one again and again. */
const pauses = [500, 1_000, 2_000, 4_000, 8_000, 15_000]

export type ConnectionState = 'closed' | 'connecting' | 'open' | 'waiting'

export interface ConnectionOptions {
  open(): WebSocket
  onFrame(frame: unknown): void
  /** An open socket has gone. */
  onLost(code: number | undefined): void
  /** `waiting`: for the next try. */
  onState(state: ConnectionState): void
}

export interface Connection {
  /** Resolves when the socket is open; rejects when this try fails. */
  connect(): Promise<void>
  send(message: unknown): void
  /** Hangs up; what was under way on it is not reported as lost. */
  close(): void
  /** The network has gone: the socket may not notice for minutes. */
  drop(): void
  /** Tries until the socket is open. */
  recover(): void
}

export function createConnection({ open, onFrame, onLost, onState }: ConnectionOptions): Connection {
  let socket: WebSocket | null = null
  let state: ConnectionState = 'closed'
  let opening: Promise<void> | null = null
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function become(next: ConnectionState) {
    if (state === next) return
    state = next
    onState(next)
  }

  function connect(): Promise<void> {
    if (opening) return opening
    clearTimeout(timer)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let mine: WebSocket
    try {
      mine = open()
    } catch (cause) {
      // A page over https may not open a socket without TLS.
      return Promise.reject(cause)
    }
    socket = mine
    opening = promise
    become('connecting')
    mine.addEventListener('open', () => {
      failures = 0
      if (socket === mine) become('open')
      resolve()
    })
    mine.addEventListener('message', ({ data }) => {
      const frame = readJson(data)
      if (socket === mine && frame !== undefined) onFrame(frame)
    })
    mine.addEventListener('close', ({ code }) => {
      reject(new Error('the connection is closed'))
      if (socket === mine) end(code)
    })
    promise.catch(() => {})
    return promise
  }

  function end(code?: number) {
    const wasOpen = state === 'open'
    socket = null
    opening = null
    become('closed')
    if (wasOpen) onLost(code)
  }

  function recover() {
    clearTimeout(timer)
    become('waiting')
    const pause = pauses[Math.min(failures++, pauses.length - 1)]
    timer = setTimeout(() => connect().catch(recover), pause)
  }

  return {
    connect,
    send: (message) => socket?.send(JSON.stringify(message)),
    close() {
      clearTimeout(timer)
      const mine = socket
      socket = null
      opening = null
      become('closed')
      mine?.close()
    },
    drop() {
      const mine = socket
      if (mine) end()
      mine?.close()
    },
    recover,
  }
}

function readJson(data: unknown): unknown {
  try {
    return JSON.parse(String(data))
  } catch {
    return undefined
  }
}
