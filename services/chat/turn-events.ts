// The events of a turn, as sent to the reader.
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
import { toEnum, toTime } from '../message.ts'
import type { Chat, ChatMessage, ChatStop, Trace } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import type { RestoreTokens } from './chat-access.ts'

export type TurnEvent = MessageInitShape<typeof TurnEventSchema>

interface TurnEnd {
  /** ID of the question. Absent for a continuation. */
  userMessageId?: string
  newChat?: boolean
  /** Whether the chat was deleted. The event then has no restore token. */
  gone?: boolean
  verdict: Trace['verdict']
  retryable: boolean
}

/** Maximum characters of a token event. Longer text is split. */
const maxToken = 16_000

/** `progress`: whether to send status events. `messageId`: ID of the answer. */
export function createTurnEvents(
  { chat, project, progress }: { chat: Chat; project: Project; progress: boolean },
  messageId: string,
  tokens: RestoreTokens,
  push: (event: TurnEvent) => void,
) {
  const restoreToken = tokens.of(chat.uuid)
  const head = { chatUuid: chat.uuid, slug: project.slug }
  let sequence = 0
  let open: { stage: TurnStage; detail: StageDetail } | null = null
  let isFirst = true

  function status(stage: TurnStage, state: TurnState, detail: StageDetail = {}) {
    if (!progress) return
    const hasDetail = Object.keys(detail).length > 0
    const value = { sequence: ++sequence, stage, state, ...(hasDetail && { detail }) }
    push({ event: { case: 'status', value } })
  }

  function close(state: TurnState, detail: StageDetail) {
    if (open) status(open.stage, state, { ...open.detail, ...detail })
    open = null
  }

  const events: AnswerEvents = {
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
        const piece = text.slice(from, from + maxToken).toWellFormed()
        const value = { ...head, messageId, text: piece, ...(isFirst && { restoreToken }) }
        push({ event: { case: 'token', value } })
        isFirst = false
      }
    },
  }

  return {
    ...events,
    /** Completes or fails the current stage, sends the final event, then the status of the turn. */
    final(
      answer: ChatMessage,
      { userMessageId, newChat = false, gone = false, retryable, verdict }: TurnEnd,
    ) {
      const failure = failures[answer.stopReason!]
      const outcome = failure ? null : verdict
      const [state, detail] = failure
        ? [TurnState.FAILED, { reason: failure.reason, retryable }]
        : [TurnState.COMPLETED, {}]
      close(state, detail)
      const value = {
        ...head,
        ...(!gone && { restoreToken }),
        newChat,
        refused: outcome === 'refused',
        ...(outcome !== null && { outcome: toEnum(TurnOutcome, outcome) }),
        aiMessage: toAiMessage(answer),
        ...(userMessageId !== undefined && { userMessageId }),
        ...(failure?.stage === TurnStage.FAILED && { isError: true }),
        ...(failure?.stage === TurnStage.INTERRUPTED && { interrupted: true }),
        ...(failure && { retryable }),
      }
      push({ event: { case: 'final', value } })
      status(failure?.stage ?? TurnStage.COMPLETED, state, detail)
    },
  }
}

const failures: Partial<Record<ChatStop, { reason: TurnFailure; stage: TurnStage }>> = {
  error: { reason: TurnFailure.GENERATION_FAILED, stage: TurnStage.FAILED },
  interrupted: { reason: TurnFailure.STREAM_INTERRUPTED, stage: TurnStage.INTERRUPTED },
  disconnected: { reason: TurnFailure.DISCONNECTED, stage: TurnStage.INTERRUPTED },
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
    stopReason: answer.stopReason === null ? StopReason.UNSPECIFIED : toEnum(StopReason, answer.stopReason),
    continuationCount: answer.continuationCount,
    continuationAvailable: answer.continuationAvailable,
  }
}
