// The events of a turn as its reader gets them (interface "Answer frame", "Status frame").
import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  StopReason,
  type TurnEventSchema,
  TurnFailure,
  TurnOutcome,
  TurnStage,
  TurnState,
} from '../../gen/lectern/v1/turn_pb.js'
import type { AnswerEvents, StageDetail } from '../answer/outcome.ts'
import type { ChatMessage, Trace } from '../store/chat.ts'
import { toTime } from '../sync/sync-message.ts'
import { stopReasons } from './chat-message.ts'

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

/** Longer text is sent in pieces. */
const longestToken = 16_000

export function createTurnEvents(head: TurnHead, push: (event: TurnEvent) => void): TurnEvents {
  let sequence = 0
  let open: { stage: TurnStage; detail: StageDetail } | null = null
  let isFirst = true

  function status(stage: TurnStage, state: TurnState, detail: StageDetail = {}) {
    if (!head.progress) return
    const told = Object.keys(detail).length > 0
    push({
      event: {
        case: 'status',
        value: { sequence: ++sequence, stage, state, ...(told && { detail }) },
      },
    })
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
      for (let from = 0; from < text.length; from += longestToken) {
        push({
          event: {
            case: 'token',
            value: {
              chatUuid: head.chat,
              slug: head.slug,
              messageId: head.messageId,
              text: text.slice(from, from + longestToken).toWellFormed(),
              ...(isFirst && { restoreToken: head.restoreToken }),
            },
          },
        })
        isFirst = false
      }
    },
    final(answer, { userMessageId, newChat, kept, retryable, verdict }) {
      const reason = failures[answer.stopReason!]
      const failed = reason === undefined ? {} : { reason, retryable }
      close(reason === undefined ? TurnState.COMPLETED : TurnState.FAILED, failed)
      push({
        event: {
          case: 'final',
          value: {
            chatUuid: head.chat,
            slug: head.slug,
            restoreToken: kept ? head.restoreToken : '',
            newChat,
            refused: verdict === 'refused',
            ...(verdict !== null && { outcome: outcomes[verdict] }),
            aiMessage: toAiMessage(answer),
            ...(userMessageId !== null && { userMessageId }),
            ...(reason === TurnFailure.GENERATION_FAILED && { isError: true }),
            ...(reason !== undefined && reason !== TurnFailure.GENERATION_FAILED && { interrupted: true }),
            ...(reason !== undefined && { retryable }),
          },
        },
      })
      if (reason === undefined) status(TurnStage.COMPLETED, TurnState.COMPLETED)
      else if (reason === TurnFailure.GENERATION_FAILED) status(TurnStage.FAILED, TurnState.FAILED, failed)
      else status(TurnStage.INTERRUPTED, TurnState.FAILED, failed)
    },
  }
}

const outcomes: Record<NonNullable<Trace['verdict']>, TurnOutcome> = {
  answered: TurnOutcome.ANSWERED,
  pointed: TurnOutcome.POINTED,
  refused: TurnOutcome.REFUSED,
}

const failures: Partial<Record<NonNullable<ChatMessage['stopReason']>, TurnFailure>> = {
  error: TurnFailure.GENERATION_FAILED,
  interrupted: TurnFailure.STREAM_INTERRUPTED,
  disconnected: TurnFailure.DISCONNECTED,
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
