// Relays one turn from the core to the reader: events → frames, as fast as the reader reads, with exactly one final frame. Older
// widgets get partial frames at a slower pace.
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
  socket: Socket
  /** Aborted when the reader is gone. Events are still read to the end, so that the core can store the answer. */
  gone: AbortSignal
  /** Called with the stopReason when the final frame is queued. Events may still follow. */
  whenAnswered(stopReason: string): void
}

/** Resolves when the core has ended the turn, with its error or null. Never rejects. */
export async function relayTurn({ events, context, socket, gone, whenAnswered }: Turn): Promise<unknown> {
  const { requestId } = context
  const pacing =
    requestId === null ? createOldPacing(socket.push) : { partial: socket.push, rest: async () => {} }
  const toPartial = createPartialWriter(context)
  let sequence = 0
  let draft = ''
  let first: TurnToken | null = null
  let isAnswered = false

  async function end(frame: string, stopReason: string): Promise<void> {
    await pacing.rest(gone)
    socket.push(frame)
    isAnswered = true
    whenAnswered(stopReason)
  }

  /** Sends the final frame that the core did not send. */
  async function fail(error: unknown): Promise<void> {
    const chatError = toChatError(error)
    const isFailure = chatError.stopReason === 'error' || first !== null
    if (isFailure && requestId !== null) {
      socket.push(toStatusFrame(toFailed(sequence + 1, first !== null, chatError.retryable), requestId))
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
        if (requestId !== null) socket.push(toStatusFrame(happened.value, requestId))
      } else if (happened?.case === 'final') {
        await end(toFinalFrame(happened.value, context, draft !== ''), toStopReason(happened.value))
      }
      const room = socket.room()
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
