// The events of a turn as its reader gets them.
import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  StopReason,
  type TurnEventSchema,
  TurnFailure,
  TurnOutcome,
  TurnStage,
  TurnState,
} from '../../gen/lectern/v1/turn_pb.js'
import type { AnswerEvents, StageDetail } from '../answer/compose-answer.ts'
import type { ChatMessage, ChatStop, Trace } from '../store/chat.ts'
import { toTime } from '../sync/sync-message.ts'

export type TurnEvent = MessageInitShape<typeof TurnEventSchema>

export interface TurnHead {
  chat: string
  slug: string
  /** The answer's. */
  messageId: string
  restoreToken: string
  /** Whether status events are wanted. */
  progress: boolean
}

export interface TurnEvents extends AnswerEvents {
  /** The end: the stage under way is completed or failed, the final event, and how it all ended. */
  final(answer: ChatMessage, end: TurnEnd): void
}

export interface TurnEnd {
  userMessageId: string | null
  newChat: boolean
  /** Whether the chat is still there: one that is gone has no token. */
  kept: boolean
  verdict: Trace['verdict']
  retryable: boolean
}

/** Characters: longer text is sent in pieces. */
const maxToken = 16_000

export function createTurnEvents(head: TurnHead, push: (event: TurnEvent) => void): TurnEvents {
  let sequence = 0
  let open: { stage: TurnStage; detail: StageDetail } | null = null
  let isFirst = true

  function status(stage: TurnStage, state: TurnState, detail: StageDetail = {}) {
    if (!head.progress) return
    const told = Object.keys(detail).length > 0
    const value = { sequence: ++sequence, stage, state, ...(told && { detail }) }
    push({ event: { case: 'status', value } })
  }

  function close(state: TurnState, detail: StageDetail) {
    if (open) status(open.stage, state, { ...open.detail, ...detail })
    open = null
  }

  return {
    stage(stage, detail = {}) {
      close(TurnState.COMPLETED, {})
      open = { stage, detail }
      status(stage, TurnState.STARTED, detail)
    },
    found(detail) {
      if (open) open.detail = { ...open.detail, ...detail }
    },
    token(text) {
      for (let from = 0; from < text.length; from += maxToken) {
        const value = {
          chatUuid: head.chat,
          slug: head.slug,
          messageId: head.messageId,
          text: text.slice(from, from + maxToken).toWellFormed(),
          ...(isFirst && { restoreToken: head.restoreToken }),
        }
        push({ event: { case: 'token', value } })
        isFirst = false
      }
    },
    final(answer, { userMessageId, newChat, kept, retryable, verdict }) {
      const failure = failures[answer.stopReason!]
      const [state, detail] = failure
        ? [TurnState.FAILED, { reason: failure.reason, retryable }]
        : [TurnState.COMPLETED, {}]
      close(state, detail)
      const value = {
        chatUuid: head.chat,
        slug: head.slug,
        restoreToken: kept ? head.restoreToken : '',
        newChat,
        refused: verdict === 'refused',
        ...(verdict !== null && { outcome: outcomes[verdict] }),
        aiMessage: toAiMessage(answer),
        ...(userMessageId !== null && { userMessageId }),
        ...(failure && { ...failure.shown, retryable }),
      }
      push({ event: { case: 'final', value } })
      status(failure?.stage ?? TurnStage.COMPLETED, state, detail)
    },
  }
}

const outcomes: Record<NonNullable<Trace['verdict']>, TurnOutcome> = {
  answered: TurnOutcome.ANSWERED,
  pointed: TurnOutcome.POINTED,
  refused: TurnOutcome.REFUSED,
}

export const stopReasons: Record<ChatStop, StopReason> = {
  stop: StopReason.STOP,
  length: StopReason.LENGTH,
  content_filter: StopReason.CONTENT_FILTER,
  error: StopReason.ERROR,
  interrupted: StopReason.INTERRUPTED,
  disconnected: StopReason.DISCONNECTED,
}

const interrupted = { stage: TurnStage.INTERRUPTED, shown: { interrupted: true } } as const
const failures: Partial<
  Record<ChatStop, { reason: TurnFailure; stage: TurnStage; shown: { isError?: true; interrupted?: true } }>
> = {
  error: { reason: TurnFailure.GENERATION_FAILED, stage: TurnStage.FAILED, shown: { isError: true } },
  interrupted: { reason: TurnFailure.STREAM_INTERRUPTED, ...interrupted },
  disconnected: { reason: TurnFailure.DISCONNECTED, ...interrupted },
}

function toAiMessage(answer: ChatMessage) {
  return {
    from: 'ai',
    message: answer.content,
    messageId: answer.uuid,
    isPartial: false,
    timestamp: toTime(answer.createdAt),
    sources: answer.sources,
    incomplete: answer.incomplete,
    stopReason: answer.stopReason === null ? StopReason.UNSPECIFIED : stopReasons[answer.stopReason],
    continuationCount: answer.continuationCount,
    continuationAvailable: answer.continuationAvailable,
  }
}
