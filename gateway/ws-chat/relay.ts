// One turn from the core to the reader: events → frames, no faster than the reader reads, and always one final frame.
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
import { toChatError } from './chat-error.ts'
import {
  createPartialWriter,
  type FrameContext,
  stopReasonOf,
  toErrorFrame,
  toFinalFrame,
  toStatusFrame,
} from './frames.ts'
import type { Outbox } from './outbox.ts'
import { createOldPacing, createPlainPacing } from './pacing.ts'

export interface Turn {
  events: Promise<AsyncIterable<{ event?: TurnEvent | undefined }>>
  context: FrameContext
  outbox: Outbox
  /** Aborted when the reader is gone. The events are read to their end all the same, so that the core can write it down. */
  gone: AbortSignal
  /** Called when the final frame is on its way, with its stopReason; events may still follow. */
  whenAnswered(stopReason: string): void
}

/** Resolves when the core has ended the turn, with the error that ended it, or null. Never rejects. */
export async function relayTurn({ events, context, outbox, gone, whenAnswered }: Turn): Promise<unknown> {
  const { requestId } = context
  const pacing = requestId === null ? createOldPacing(outbox.push) : createPlainPacing(outbox.push)
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

  /** What the core could not say itself. */
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
        await end(toFinalFrame(happened.value, context, draft !== ''), stopReasonOf(happened.value))
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

/** The end of an answer whose stream broke off: what there is of it. */
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
