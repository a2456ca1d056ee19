// A WebSocket, independent of uWebSockets.js. Sends the frames of one tick of the event loop together, and never writes to a
// socket that is closed or has dropped a frame.
import type { HttpRequest } from './http.ts'

export type Socket = ReturnType<typeof createSocket>

export interface SocketListener {
  /** The listener owns the bytes. */
  message(bytes: Uint8Array): void
  /** The last event, no matter which side closed. */
  gone(): void
}

export interface SocketServer {
  /** Accepts an upgrade, synchronously. Returns the function that opens the listener of the socket. Throws Refusal. */
  upgrade(request: HttpRequest): (socket: Socket) => SocketListener
}

export interface CloseCode {
  code: number
  reason: string
}

export const closeCodes = {
  shutdown: { code: 1001, reason: 'The server is shutting down.' },
  tooBig: { code: 1009, reason: 'A message may have 64 KiB at most.' },
  blocked: { code: 4429, reason: 'Too many messages from this address.' },
} satisfies Record<string, CloseCode>

/** The used methods of a uWebSockets.js socket. Each throws after the socket is closed. */
export interface RawSocket {
  /** 1: sent; 0: buffered in part; 2: dropped, and its state is broken. */
  send(text: string): number
  getBufferedAmount(): number
  cork(write: () => void): unknown
  end(code: number, reason: string): void
  close(): void
}

const dropped = 2
/** Characters at which frames are sent before the end of the tick: the size of uWebSockets.js's buffer. */
const flushAt = 16 * 1024
/** Unsent bytes at which a reader is behind. */
const highWater = 64 * 1024

export function createSocket(raw: RawSocket) {
  let frames: string[] = []
  let size = 0
  let isOpen = true
  let isTurnOver = false
  let waiting: PromiseWithResolvers<void> | null = null

  /** Bytes are buffered for a slow reader. A socket with a full buffer is closed without a close frame. */
  function flush(): void {
    if (frames.length === 0 || !isOpen) return
    const leaving = frames
    frames = []
    size = 0
    let isDropped = false
    const sendAll = () => {
      isDropped = leaving.some((frame) => raw.send(frame) === dropped)
    }
    // A single frame, such as a token, needs no cork.
    if (leaving.length === 1) sendAll()
    else raw.cork(sendAll)
    if (isDropped) raw.close()
  }

  const isBehind = () => isOpen && raw.getBufferedAmount() >= highWater

  /** The reader has received some buffered bytes. */
  function drained(): void {
    if (isBehind()) return
    waiting?.resolve()
    waiting = null
  }

  return {
    push(frame: string): void {
      if (!isOpen) return
      if (frames.push(frame) === 1) setImmediate(flush)
      size += frame.length
      if (size < flushAt) return
      flush()
      isTurnOver = true
    },
    /** Null if there is room. Else a promise that resolves when the reader caught up or left, or after a yield to other sockets. */
    room(): Promise<void> | null {
      if (isBehind()) {
        waiting ??= Promise.withResolvers<void>()
        return waiting.promise
      }
      if (!isTurnOver || !isOpen) return null
      isTurnOver = false
      return new Promise((resolve) => setImmediate(resolve))
    },
    drained,
    end({ code, reason }: CloseCode): void {
      if (isOpen) raw.end(code, reason)
    },
    /** The socket is closed: discards frames, and resolves waits. */
    closed(): void {
      isOpen = false
      frames = []
      drained()
    },
  }
}
