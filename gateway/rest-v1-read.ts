// What REST v1 alone reads otherwise: a message whose project is named in the body, and a chat that is not there.
import { Code, ConnectError } from '@connectrpc/connect'
import type { SendMessageRequest } from '../gen/lectern/v1/chat_pb.js'
import { refuse } from './json/read.ts'
import { Refusal } from './refusal.ts'
import { fromKnown } from './rest-read.ts'
import type { Read } from './rest-row.ts'

/** A message; one that begins a chat names its project. */
export const fromOldMessage: Read = (row, input) => {
  const message = fromKnown(row, input) as SendMessageRequest
  const isNowhere = message.slug === '' && message.chatUuid === ''
  refuse(isNowhere ? { project_slug: ['is required where chat_uuid is empty'] } : {})
  return message
}

/** A chat that is not there, or not for this caller, is forbidden: older clients then begin another. */
export function forbidUnknown(error: unknown): never {
  if (error instanceof ConnectError && error.code === Code.NotFound) {
    throw new Refusal('forbidden', error.rawMessage)
  }
  throw error
}
