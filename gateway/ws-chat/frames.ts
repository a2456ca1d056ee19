// Reads the frames of readers, and converts turn events and errors of the core to frames. Fields that do not apply are omitted.
import type { MessageInitShape } from '@bufbuild/protobuf'
import { RetrievalMode, type SendMessageRequestSchema } from '../../gen/lectern/v1/chat_pb.js'
import {
  AiMessageSchema,
  StopReasonSchema,
  type TurnFinal,
  TurnOutcomeSchema,
  type TurnStatus,
  TurnStatusSchema,
  type TurnToken,
} from '../../gen/lectern/v1/turn_pb.js'
import { toFault } from '../errors.ts'
import { isObject } from '../json/read.ts'
import { enumName, type Json, writeMessage } from '../json/write.ts'

export interface Frame {
  /** The turn's identifier if progress was negotiated, else null. Also read from invalid messages, if possible. */
  requestId: string | null
  /** '' if the message has none. */
  apiKey: string
  /** The request to the core, without the fields from the socket's path. A sentence for a person if the message is invalid. */
  outcome: MessageInitShape<typeof SendMessageRequestSchema> | string
}

type Given = Record<string, unknown>

const progressCapability = 'activity.v1'
const requestIdForm = /^[A-Za-z0-9._:-]{1,80}$/

/** Omitted from the message if empty. */
const optionalTexts = ['url', 'email', 'version', 'language'] as const
const texts = ['chatId', 'apiKey', 'restoreToken', ...optionalTexts]

/** Ignores unknown fields. Null means absent, and so does '' where it has no meaning. */
export function readFrame(bytes: Uint8Array): Frame {
  const fields = readJson(bytes)
  if (fields === null) {
    return { requestId: null, apiKey: '', outcome: 'A message must be a JSON object in UTF-8.' }
  }
  const fault = findFault(fields)
  const apiKey = fault === null ? ((fields.apiKey ?? '') as string) : ''
  return { requestId: readRequestId(fields), apiKey, outcome: fault ?? toMessage(fields) }
}

/** A client negotiates progress with the capability and a valid requestId. One without the other is ignored. */
function readRequestId({ capabilities, requestId }: Given): string | null {
  const isAsked = Array.isArray(capabilities) && capabilities.includes(progressCapability)
  return isAsked && typeof requestId === 'string' && requestIdForm.test(requestId) ? requestId : null
}

function readJson(bytes: Uint8Array): Given | null {
  try {
    const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return isObject(json) ? (json as Given) : null
  } catch {
    return null
  }
}

/** The core checks lengths. */
function findFault(fields: Given): string | null {
  const { message, thinkMode } = fields
  if (typeof message !== 'string' || message.trim() === '') return 'message must be a text that is not empty.'
  const wrong = texts.find((name) => typeof (fields[name] ?? '') !== 'string')
  if (wrong) return `${wrong} must be a string.`
  if (typeof (thinkMode ?? false) !== 'boolean') return 'thinkMode must be true or false.'
  const broken = ['message', ...texts].find((name) => !((fields[name] ?? '') as string).isWellFormed())
  return broken ? `${broken} must be valid Unicode.` : null
}

function toMessage(fields: Given) {
  const { chatId, restoreToken, metadata, thinkMode, retrievalMode } = fields
  const { AUTO, INSTANT, UNSPECIFIED } = RetrievalMode
  const optional = optionalTexts.filter((name) => fields[name]).map((name) => [name, fields[name]])
  return {
    message: fields.message as string,
    chatUuid: (chatId ?? '') as string,
    restoreToken: (restoreToken ?? '') as string,
    ...Object.fromEntries(optional),
    ...(typeof metadata === 'string' && metadata && { metadata: metadata.toWellFormed() }),
    ...(typeof thinkMode === 'boolean' && { thinkMode }),
    retrievalMode: retrievalMode === 'auto' ? AUTO : retrievalMode === 'instant' ? INSTANT : UNSPECIFIED,
  }
}

export interface FrameContext {
  /** The negotiated identifier. Null: frames without progress. */
  requestId: string | null
  /** From the socket's path, later from the core. */
  projectId: string
}

/**
 * Creates the writer of a turn's partial frames. Serializes everything except text and time once.
 *
 *   {"projectId":"docs",…,"message":  "Hel"  ,"timestamp":"  2026-…Z  ","isPartial":true,"requestId":"r"}
 */
export function createPartialWriter(context: FrameContext): (token: TurnToken) => string {
  const requestId = context.requestId === null ? '' : `,"requestId":${JSON.stringify(context.requestId)}`
  let head = ''
  return ({ slug, chatUuid, messageId, text, restoreToken }) => {
    if (head === '') {
      const known = { projectId: slug || context.projectId, chatId: chatUuid, from: 'ai', messageId }
      head = `${JSON.stringify(known).slice(0, -1)},"message":`
    }
    const token = restoreToken ? `,"restoreToken":${JSON.stringify(restoreToken)}` : ''
    return `${head}${JSON.stringify(text)},"timestamp":"${isoNow()}","isPartial":true${requestId}${token}}`
  }
}

export function toStopReason({ aiMessage }: TurnFinal): string {
  return enumName(StopReasonSchema, aiMessage!.stopReason) ?? 'error'
}

type Fields = Record<string, Json>

/** The frame that ends a turn. `hasText`: whether text of the answer was sent before. */
export function toFinalFrame(final: TurnFinal, context: FrameContext, hasText: boolean): string {
  const { requestId } = context
  const answer = writeMessage(AiMessageSchema, final.aiMessage!) as { sources: Fields[]; incomplete: boolean }
  return JSON.stringify({
    projectId: final.slug || context.projectId,
    chatId: final.chatUuid,
    timestamp: isoNow(),
    ...answer,
    from: 'ai',
    sources: requestId === null ? answer.sources.map(({ title, url }) => ({ title, url })) : answer.sources,
    // Older widgets offer to continue incomplete answers: only an answer that was cut within its text qualifies.
    incomplete: answer.incomplete && (requestId !== null || hasText),
    stopReason: toStopReason(final),
    ...(final.restoreToken && { restoreToken: final.restoreToken }),
    ...(requestId !== null && {
      requestId,
      interrupted: final.interrupted,
      isError: final.isError,
      retryable: final.retryable,
      outcome: final.outcome && enumName(TurnOutcomeSchema, final.outcome),
    }),
  })
}

export function toStatusFrame(status: TurnStatus, requestId: string): string {
  const { detail, ...about } = writeMessage(TurnStatusSchema, status) as Fields & { detail: Fields | null }
  const { searchedFor, ...more } = detail ?? {}
  const words = (searchedFor as string[] | undefined)?.length ? { searchedFor } : {}
  return JSON.stringify({
    ...{ type: 'status', version: 1, requestId, ...about },
    ...(detail && { detail: { ...more, ...words } }),
  })
}

/** The only frame of a message that is not answered: without messageId and restore token. */
export function toErrorFrame({ stopReason, sentence, retryable }: ChatError, context: FrameContext): string {
  return JSON.stringify({
    ...(context.projectId && { projectId: context.projectId }),
    from: 'ai',
    message: sentence,
    timestamp: isoNow(),
    isPartial: false,
    sources: [],
    incomplete: stopReason === 'error' && context.requestId !== null,
    stopReason,
    ...(context.requestId !== null && { requestId: context.requestId, isError: true, retryable }),
  })
}

let shownAt = 0
let shown = ''

/** Formats the time once a millisecond, however many frames need it: formatting takes ten times as long as this. */
function isoNow(): string {
  const at = Date.now()
  if (at !== shownAt) {
    shownAt = at
    shown = new Date(at).toISOString()
  }
  return shown
}

export interface ChatError {
  /** A value of StopReason. */
  stopReason: string
  /** For a person. */
  sentence: string
  /** Whether sending it again may help. */
  retryable: boolean
}

const failure: ChatError = {
  stopReason: 'error',
  sentence: 'The answer could not be made. Please try again.',
  retryable: true,
}

const byStatus: Record<number, Omit<ChatError, 'sentence'>> = {
  400: { stopReason: 'invalid_message', retryable: false },
  401: { stopReason: 'unauthorized', retryable: false },
  403: { stopReason: 'unauthorized', retryable: false },
  404: { stopReason: 'not_found', retryable: false },
  429: { stopReason: 'rate_limited', retryable: true },
  501: { stopReason: 'error', retryable: false },
}

/** Reasons of the core that are stop reasons, and never retryable. */
const ownReasons = ['domain_not_allowed', 'chat_full']

/** Errors that the core has worded for callers keep their sentence. All others become the same error. */
export function toChatError(error: unknown): ChatError {
  const { status, reason, sentence } = toFault(error)
  if (ownReasons.includes(reason)) return { stopReason: reason, sentence, retryable: false }
  return byStatus[status] ? { ...byStatus[status], sentence } : failure
}
