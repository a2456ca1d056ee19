// Frames on their way to one reader. Those of one turn of the event loop leave together; a reader who is slow is waited
// for, so that memory stays small and nobody else is held up.
import type { Socket } from '../socket.ts'

/** Characters that leave at once, without waiting for the end of the loop's turn: one of uWebSockets.js's buffers. */
const flushAt = 16 * 1024
/** Bytes that the reader may be behind. */
const highWater = 64 * 1024

export interface Outbox {
  push(frame: string): void
  /** Null: go on. Else what to wait for: the reader catches up or leaves, or others had their turn. */
  room(): Promise<void> | null
  /** The reader has taken something. */
  drain(): void
  /** The reader is gone: nothing is kept, nobody waits. */
  close(): void
}

export function createOutbox(socket: Socket): Outbox {
  let frames: string[] = []
  let size = 0
  let isClosed = false
  let isTurnOver = false
  let waiting: PromiseWithResolvers<void> | null = null

  function flush(): void {
    if (frames.length === 0 || isClosed) return
    const leaving = frames
    frames = []
    size = 0
    socket.send(leaving)
  }

  function go(): void {
    waiting?.resolve()
    waiting = null
  }

  return {
    push(frame) {
      if (isClosed) return
      if (frames.push(frame) === 1) setImmediate(flush)
      size += frame.length
      if (size < flushAt) return
      flush()
      isTurnOver = true
    },
    room() {
      if (!isClosed && socket.bufferedBytes() >= highWater) {
        waiting ??= Promise.withResolvers<void>()
        return waiting.promise
      }
      if (!isTurnOver && !isClosed) return null
      isTurnOver = false
      return new Promise((resolve) => setImmediate(resolve))
    },
    drain() {
      if (socket.bufferedBytes() < highWater) go()
    },
    close() {
      isClosed = true
      frames = []
      go()
    },
  }
}
