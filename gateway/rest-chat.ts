// Messages over REST. One address both sends messages and continues answers. The response is the end of the turn.
import type { Message } from '@bufbuild/protobuf'
import { SendMessageRequestSchema, type SendMessageResponse } from '../gen/lectern/v1/chat_pb.js'
import { LimitService } from '../gen/lectern/v1/limit_pb.js'
import { type TurnFinal, TurnFinalSchema } from '../gen/lectern/v1/turn_pb.js'
import { rateLimited } from './errors.ts'
import { refuse } from './json/read.ts'
import { type Json, writeMessage } from './json/write.ts'
import { type Read, type RestRow, readBody, type Write } from './rest-row.ts'

type Body = Record<string, unknown>

const shownNames = ['chat_uuid', 'restore_token', 'user_message_id', 'ai_message']

/** Fields of TurnFinal that only the gateway uses. */
export const innerNames: ReadonlySet<string> = new Set(
  TurnFinalSchema.fields.map(({ name }) => name).filter((name) => !shownNames.includes(name)),
)

const continued = 'continue_message_id'

/** Reads a body in which null means absent. Unknown fields are still refused. */
export const fromMessage: Read = (row, input) =>
  readBody(row, input, { ignores: (name) => name === continued, isNullLeftOut: true })

const ofMessage = new Set(SendMessageRequestSchema.fields.map(({ name }) => name))

/** The same for a continuation: `message` must be absent, and other fields of a new message are ignored. */
export const fromContinuation: Read = (row, input) => {
  const { message } = input.json as Body
  refuse(message ? { message: [`must be left out where ${continued} is given`] } : {})
  return readBody(row, input, { ignores: (name) => ofMessage.has(name), isNullLeftOut: true })
}

/** `{chat_uuid, restore_token, user_message_id, ai_message}`. */
export const toTurn: Write = (_row, answer) => {
  const end = writeMessage(TurnFinalSchema, readFinal(answer)) as Record<string, Json>
  return Object.fromEntries(Object.entries(end).filter(([name]) => !innerNames.has(name)))
}

/** Returns 200 if the chat existed before. */
export const knownChat: NonNullable<RestRow['also']> = {
  status: 200,
  when: (answer) => !readFinal(answer).newChat,
}

/** Counts a message that the gateway refuses. No address is blocked while the core or its store is unavailable. */
export const countRefused: NonNullable<RestRow['whenRefused']> = async (core, { parameters }, context) => {
  const message = { slug: parameters.slug ?? '' }
  const counted = await core.call(LimitService.method.countMessage, message, context).catch(() => null)
  const seconds = counted?.standing?.blockedSeconds ?? 0
  if (seconds > 0) throw rateLimited('Too many messages came from this address.', seconds)
}

/** Whether a body requests the rest of an answer. */
export function isContinuation(json: unknown): boolean {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, continued)) return false
  return (json as Body)[continued] !== null
}

function readFinal(answer: Message): TurnFinal {
  const { event } = (answer as SendMessageResponse).event ?? {}
  if (event?.case !== 'final') throw new Error('the turn has no end')
  return event.value
}
