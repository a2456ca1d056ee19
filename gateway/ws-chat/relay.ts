// Relays one turn from the core to the reader: events → frames, as fast as the reader reads, with exactly one final frame. Frames
// of one tick of the event loop are sent together. Older widgets get partial frames at a slower pace.
import { setTimeout as delay } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import {
  StopReason,
  type TurnEvent,
  TurnFailure,
  type TurnFinal,
  TurnFinalSchema,
  TurnStage,
  TurnState,
  TurnStatusSchema,
  type TurnToken,
} from '../../gen/lectern/v1/turn_pb.js'
import type { Socket } from '../socket.ts'
import {
  createPartialWriter,
  type FrameContext,
  toChatError,
  toErrorFrame,
  toFinalFrame,
  toStatusFrame,
  toStopReason,
} from './frames.ts'

export interface Turn {
  events: Promise<AsyncIterable<{ event?: TurnEvent | undefined }>>
  context: FrameContext
  outbox: Outbox
  /** Aborted when the reader is gone. Events are still read to the end, so that the core can store the answer. */
  gone: AbortSignal
  /** Called with the stopReason when the final frame is queued. Events may still follow. */
  whenAnswered(stopReason: string): void
}

/** Resolves when the core has ended the turn, with its error or null. Never rejects. */
export async function relayTurn({ events, context, outbox, gone, whenAnswered }: Turn): Promise<unknown> {
  const { requestId } = context
  const pacing =
    requestId === null ? createOldPacing(outbox.push) : { partial: outbox.push, rest: async () => {} }
  const toPartial = createPartialWriter(context)
  let sequence = 0
  let draft = ''
  let first: TurnToken | null = null
  let isAnswered = false

  async function end(frame: string, stopReason: string): Promise<void> {
    await pacing.rest(gone)
    outbox.push(frame)
    isAnswered = true
    whenAnswered(stopReason)
  }

  /** Sends the final frame that the core did not send. */
  async function fail(error: unknown): Promise<void> {
    const chatError = toChatError(error)
    const isFailure = chatError.stopReason === 'error' || first !== null
    if (isFailure && requestId !== null) {
      outbox.push(toStatusFrame(toFailed(sequence + 1, first !== null, chatError.retryable), requestId))
    }
    if (first) await end(toFinalFrame(toCut(first, draft), context, draft !== ''), 'interrupted')
    else await end(toErrorFrame(chatError, context), chatError.stopReason)
  }

  try {
    for await (const { event } of await events) {
      const happened = event?.event
      if (happened?.case === 'token') {
        first ??= happened.value
        draft += happened.value.text
        pacing.partial(toPartial(happened.value))
      } else if (happened?.case === 'status') {
        sequence = happened.value.sequence
        if (requestId !== null) outbox.push(toStatusFrame(happened.value, requestId))
      } else if (happened?.case === 'final') {
        await end(toFinalFrame(happened.value, context, draft !== ''), toStopReason(happened.value))
      }
      const room = outbox.room()
      if (room) await room
    }
    if (!isAnswered) throw new Error('the turn has no end')
    return null
  } catch (error) {
    if (!isAnswered) await fail(error)
    return error
  }
}

function toFailed(sequence: number, isCut: boolean, retryable: boolean) {
  return create(TurnStatusSchema, {
    sequence,
    stage: isCut ? TurnStage.INTERRUPTED : TurnStage.FAILED,
    state: TurnState.FAILED,
    detail: {
      reason: isCut ? TurnFailure.STREAM_INTERRUPTED : TurnFailure.GENERATION_FAILED,
      retryable,
    },
  })
}

/** The final event for an answer whose stream ended early: the text so far. */
function toCut({ slug, chatUuid, messageId, restoreToken }: TurnToken, draft: string): TurnFinal {
  return create(TurnFinalSchema, {
    slug,
    chatUuid,
    ...(restoreToken && { restoreToken }),
    aiMessage: { message: draft, messageId, incomplete: true, stopReason: StopReason.INTERRUPTED },
    interrupted: true,
    retryable: true,
  })
}

/** Characters at which frames are sent before the end of the tick: the size of uWebSockets.js's buffer. */
const flushAt = 16 * 1024
/** Unsent bytes at which relaying pauses. */
const highWater = 64 * 1024

type Outbox = ReturnType<typeof createOutbox>

export function createOutbox(socket: Socket) {
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
    push(frame: string): void {
      if (isClosed) return
      if (frames.push(frame) === 1) setImmediate(flush)
      size += frame.length
      if (size < flushAt) return
      flush()
      isTurnOver = true
    },
    /** Null if there is room. Else a promise that resolves when the reader caught up or left, or after a yield to other sockets. */
    room(): Promise<void> | null {
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
    /** The reader is gone: discards frames and resolves waits. */
    close() {
      isClosed = true
      frames = []
      go()
    },
  }
}

/** Milliseconds between the last partial frame and the final. An older widget needs 200; the rest is for the network. */
const restMs = 260

/**
 * Delays the first partial frame until the second. Without a second, it is never sent: the final frame has the whole answer.
 *
 *   a, b, c, final  →  –, a b, c, (260 ms) final
 *   a, final        →  –, final
 */
export function createOldPacing(push: (frame: string) => void) {
  let first: string | null = null
  let sentAt: number | null = null
  return {
    partial(frame: string) {
      if (first === null) {
        first = frame
        return
      }
      if (sentAt === null) push(first)
      push(frame)
      sentAt = performance.now()
    },
    /** Resolves when the final frame may be sent, or the reader is gone. */
    async rest(gone: AbortSignal) {
      if (sentAt === null || gone.aborted) return
      const left = sentAt + restMs - performance.now()
      if (left > 0) await delay(left, undefined, { signal: gone }).catch(() => {})
    },
  }
}
