// The chat's socket. Opened for the first message, and reopened after a loss with growing pauses. Never resends
// messages.

/** Milliseconds before each attempt. The last value repeats. */
const pauses = [500, 1_000, 2_000, 4_000, 8_000, 15_000]

export type ConnectionState = 'closed' | 'connecting' | 'open' | 'waiting'

export interface ConnectionOptions {
  open(): WebSocket
  onFrame(frame: unknown): void
  /** An open socket was lost. */
  onLost(code: number | undefined): void
  /** `waiting`: for the next attempt. */
  onState(state: ConnectionState): void
}

export interface Connection {
  /** Resolves when the socket is open. Rejects if this attempt fails. */
  connect(): Promise<void>
  send(message: unknown): void
  /** Closes the socket without a call of `onLost`. */
  close(): void
  /** Drops the socket after the network was lost, which the socket may not detect for minutes. */
  drop(): void
  /** Retries until the socket is open. */
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
