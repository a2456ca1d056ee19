// The one table that gives an error of the core its stopReason on the socket.
import { Code, ConnectError } from '@connectrpc/connect'
import { ErrorDetailSchema } from '../../gen/lectern/v1/error_pb.js'

export type RefusalReason =
  | 'rate_limited'
  | 'unauthorized'
  | 'domain_not_allowed'
  | 'invalid_message'
  | 'not_found'
  | 'busy'
  | 'chat_full'

/** Why there is no answer: a refusal, or a failure of ours. */
export interface ChatError {
  stopReason: RefusalReason | 'error'
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

const byCode: Partial<Record<Code, Omit<ChatError, 'sentence'>>> = {
  [Code.InvalidArgument]: { stopReason: 'invalid_message', retryable: false },
  [Code.Unauthenticated]: { stopReason: 'unauthorized', retryable: false },
  [Code.PermissionDenied]: { stopReason: 'unauthorized', retryable: false },
  [Code.NotFound]: { stopReason: 'not_found', retryable: false },
  [Code.ResourceExhausted]: { stopReason: 'rate_limited', retryable: true },
  [Code.Unimplemented]: { stopReason: 'error', retryable: false },
}

/** By the core's reason, where its code does not tell. */
const byReason: Record<string, Omit<ChatError, 'sentence'>> = {
  domain_not_allowed: { stopReason: 'domain_not_allowed', retryable: false },
  chat_full: { stopReason: 'chat_full', retryable: false },
}

/** Errors that the core has worded for callers keep their sentence; all others are one. */
export function toChatError(error: unknown): ChatError {
  if (!(error instanceof ConnectError)) return failure
  const [detail] = error.findDetails(ErrorDetailSchema)
  const row = byReason[detail?.reason ?? ''] ?? byCode[error.code]
  if (!row || !detail) return row ? { ...failure, ...row } : failure
  return { ...row, sentence: error.rawMessage }
}

export function busy(): ChatError {
  return {
    stopReason: 'busy',
    sentence: 'The last message is still being answered. Please wait for its answer.',
    retryable: true,
  }
}

export function tooFast(seconds: number): ChatError {
  return {
    stopReason: 'rate_limited',
    sentence: `Too many messages at once. Try again in ${seconds} s.`,
    retryable: true,
  }
}

export function invalidMessage(sentence: string): ChatError {
  return { stopReason: 'invalid_message', sentence, retryable: false }
}
