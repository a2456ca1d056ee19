// A WebSocket, independent of uWebSockets.js. Never writes to a socket that is closed or has dropped a
// frame.
import type { HttpRequest } from './http.ts'

export type Socket = ReturnType<typeof createSocket>

export interface SocketListener {
  /** The listener owns the bytes. */
  message(bytes: Uint8Array): void
  /** The reader has received some buffered bytes. */
  drain(): void
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

export function createSocket(raw: RawSocket) {
  let isOpen = true
  return {
    /**
     * Sends frames together. Bytes are buffered for a slow reader. A socket with a full buffer is closed without
     * a close frame.
     */
    send(frames: readonly string[]): void {
      if (!isOpen) return
      let isDropped = false
      const sendAll = () => {
        isDropped = frames.some((frame) => raw.send(frame) === dropped)
      }
      // A single frame, such as a token, needs no cork.
      if (frames.length === 1) sendAll()
      else raw.cork(sendAll)
      if (isDropped) raw.close()
    },
    /** Bytes that the reader has not yet received. */
    bufferedBytes: () => (isOpen ? raw.getBufferedAmount() : 0),
    end({ code, reason }: CloseCode): void {
      if (isOpen) raw.end(code, reason)
    },
    /** The socket is closed: sends nothing from now on. */
    closed(): void {
      isOpen = false
    },
  }
}
