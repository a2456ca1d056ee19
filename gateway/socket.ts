// A WebSocket as the chat sees it: nothing of uWebSockets.js, and nothing is ever written to one that is closed or has
// dropped a frame.
import type { HttpRequest } from './http.ts'

export type Socket = ReturnType<typeof createSocket>

export interface SocketListener {
  /** The bytes are the listener's to keep. */
  message(bytes: Uint8Array): void
  /** The reader has taken some of what was kept. */
  drain(): void
  /** The last event, whichever side closed. */
  gone(): void
}

export interface SocketServer {
  /** Decides about an upgrade, at once: what owns the socket once it is open. Throws Refusal. */
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

/** The used part of a uWebSockets.js socket; each method throws once it is closed. */
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
     * Sends frames together. What the reader does not take at once is kept in memory. A socket that cannot hold more is
     * closed without another word.
     */
    send(frames: readonly string[]): void {
      if (!isOpen) return
      let isDropped = false
      const sendAll = () => {
        isDropped = frames.some((frame) => raw.send(frame) === dropped)
      }
      // One frame, such as a token, needs no cork.
      if (frames.length === 1) sendAll()
      else raw.cork(sendAll)
      if (isDropped) raw.close()
    },
    /** Bytes that the reader has not taken yet. */
    bufferedBytes: () => (isOpen ? raw.getBufferedAmount() : 0),
    end({ code, reason }: CloseCode): void {
      if (isOpen) raw.end(code, reason)
    },
    /** Nothing is sent from now on. */
    closed(): void {
      isOpen = false
    },
  }
}
