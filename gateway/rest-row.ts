// The rows of REST tables, and the readers and writers that rows use. rest.ts serves the rows.
import { create, type DescField, type DescMethod, type Message } from '@bufbuild/protobuf'
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt'
import { SendMessageRequestSchema, type SendMessageResponse } from '../gen/lectern/v1/chat_pb.js'
import { LimitService } from '../gen/lectern/v1/limit_pb.js'
import { ContentScope, type SearchRequest } from '../gen/lectern/v1/search_pb.js'
import { type TurnFinal, TurnFinalSchema } from '../gen/lectern/v1/turn_pb.js'
import type { CallContext, CoreClient } from './core-client.ts'
import { rateLimited } from './errors.ts'
import type { HeaderName } from './http.ts'
import { type ReadOptions, readMessage, refuse } from './json/read.ts'
import { findBody, type Json, writeAnswer, writeMessage } from './json/write.ts'
import { type Query, toQueryJson } from './query.ts'
import type { Route } from './router.ts'

export interface RestRow {
  method: Route['method']
  path: string
  call: DescMethod
  read: Read
  write: Write
  status: number
  /** Another status for some responses. */
  also?: { status: number; when(answer: Message): boolean }
  /** The row that serves some bodies instead of this one. */
  instead?: { row: RestRow; when(json: unknown): boolean }
  /** Fields of the RPC's request that this surface does not accept. */
  hidden?: readonly string[]
  /** Constant fields of the request, by their local names. */
  fixed?: Record<string, unknown>
  /** Name in the body → name of the field, where they differ. */
  renamed?: Record<string, string>
  /** Reads the query string. Default: `readQuery`. */
  readQuery?(raw: string): Query
  /** The row that serves forms at this address. */
  form?: RestRow
  /** The body is a form. Name of a part → `file`, `site`, or the field of UploadFields. */
  parts?: Record<string, string>
  /** Unknown parts are ignored. */
  ignoresUnknown?: boolean
  /** The RPC streams responses, which are sent as server-sent events. */
  isStream?: boolean
  /** The RPC streams `data`, which is sent as a file with this name. */
  file?: string
  /** The response is CSV if the caller prefers it. */
  csv?: boolean
  /** The body names the project, and the path does not. */
  projectInBody?: boolean
  /** Called with an error of the core. Throws it, or another. */
  whenFailed?(error: unknown): never
  /** Called for a request that is refused before the core is called. May reject with another Refusal. */
  whenRefused?(core: CoreClient, input: RestInput, context: CallContext): Promise<void>
}

export interface RestInput {
  parameters: Record<string, string>
  query: Query
  headers: Record<HeaderName, string>
  /** The body of a POST or PATCH. `{}` if it is empty. */
  json: unknown
  /** The requested address without its query: the base of links in the response. */
  address: string
}

/** Request → message of the RPC. Throws Refusal. */
export type Read = (row: RestRow, input: RestInput) => Message
/** Message of the RPC → JSON. Null: no body. */
export type Write = (row: RestRow, answer: Message, request: Message, input: RestInput) => Json

// Readers: request → message of the RPC. Path parameters, the header X-Chat-Restore-Token and query parameters fill the
// fields of their names.
/** Reads only the path and headers. */
export const fromPath: Read = (row, input) => create(row.call.input, elsewhere(row, input))

/** Also reads query parameters into all other fields of the request. Ignores unknown parameters. */
export const fromQuery: Read = (row, input) => {
  const { message } = readMessage(row.call.input, toQueryJson(freeFields(row), input.query))
  return Object.assign(message, elsewhere(row, input))
}

/** The same for search. Other clients send `source_types=all` for `content_scope=all`. */
export const fromSearch: Read = (row, input) => {
  const message = fromQuery(row, input) as SearchRequest
  if (!message.contentScope && input.query.get('source_types') === 'all') {
    message.contentScope = ContentScope.ALL
  }
  return message
}

/** Reads the path and a JSON body: the field that the RPC declares as its body, else all other fields of the request. */
export const fromBody: Read = (row, input) => readBody(row, input)

/** The same, but ignores unknown fields, and treats null as absent. */
export const fromKnown: Read = (row, input) =>
  readBody(row, input, { ignores: () => true, isNullLeftOut: true })

/** Reads a PATCH: also sets the update mask to the fields in the body. */
export const fromPatch: Read = (row, input) => readBody(row, input, { update: true })

function readBody(row: RestRow, input: RestInput, options: ReadOptions = {}): Message {
  const { update = false } = options
  const { renamed = {} } = row
  const { kind, field } = findBody(row.call)
  const without = new Set(field ? [] : [...takenNames(row), ...Object.values(renamed)])
  const { message, paths } = readMessage(kind, input.json, { ...options, without, renamed })
  if (!field) return Object.assign(message, elsewhere(row, input))
  const mask = row.call.input.fields.find(({ message: type }) => type === FieldMaskSchema)
  return create(row.call.input, {
    ...elsewhere(row, input),
    [field.localName]: message,
    ...(update && mask && { [mask.localName]: create(FieldMaskSchema, { paths }) }),
  })
}

/** Fields of the request that neither the path nor a header sets. */
export function freeFields(row: RestRow): DescField[] {
  const excluded = takenNames(row)
  return row.call.input.fields.filter((field) => !excluded.includes(field.name))
}

export function pathNames({ path }: RestRow): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
}

const restoreToken = 'restore_token'

/** Names of fields that path and headers set, and of fields that are not accepted. */
export function takenNames(row: RestRow): string[] {
  const fixed = row.call.input.fields.filter(({ localName }) => row.fixed && localName in row.fixed)
  return [...pathNames(row), ...(row.hidden ?? []), ...fixed.map(({ name }) => name), restoreToken]
}

/** Values of fields that path and headers set, and of constant fields. */
function elsewhere(row: RestRow, { parameters, headers }: RestInput): Record<string, unknown> {
  const values: Record<string, unknown> = { ...row.fixed }
  for (const { name, localName } of row.call.input.fields) {
    if (parameters[name] !== undefined) values[localName] = parameters[name]
    if (name === restoreToken && headers['x-chat-restore-token']) {
      values[localName] = headers['x-chat-restore-token']
    }
  }
  return values
}

// Writers: message of the RPC → JSON.
const defaultLimit = 20
const maxLimit = 100

export const toAnswer: Write = ({ call }, answer) => writeAnswer(call, answer)

/** No body, or `{}` if the status requires one. */
export const toNothing: Write = ({ status }) => (status === 204 ? null : {})

/** The envelope of lists: `{count, next, previous, results}`. Links are absolute, or null. */
export const toList: Write = (row, answer, request, input) => {
  const { count, results } = writeMessage(row.call.output, answer) as { count: number; results: Json[] }
  const { limit = defaultLimit, offset } = request as unknown as { limit?: number; offset: number }
  const size = Math.min(limit, maxLimit)
  const link = (to: number) => withQuery(input, { limit: String(size), offset: String(to) })
  return {
    count,
    next: offset + size < count ? link(offset + size) : null,
    previous: offset > 0 ? link(Math.max(0, offset - size)) : null,
    results,
  }
}

/** A chat with a page of its messages, newest first. `next`: absolute link to the page of older messages, or null. */
export const toConversation: Write = (row, answer, request, input) => {
  const chat = toAnswer(row, answer, request, input) as { message_count: number; messages: Json[] }
  const { limit = defaultLimit, offset } = request as unknown as { limit?: number; offset: number }
  const to = offset + chat.messages.length
  const page = { limit: String(Math.min(limit, maxLimit)), offset: String(to) }
  const isLeft = chat.messages.length > 0 && to < chat.message_count
  return { ...chat, next: isLeft ? withQuery(input, page) : null }
}

/** `{results}` for files. A single site is the response itself. */
export const toUploaded: Write = (row, answer) => {
  const { results } = writeMessage(row.call.output, answer) as { results: { type?: Json }[] }
  return results.length === 1 && results[0]?.type === 'hosted_site'
    ? (results[0] as Json)
    : { results: results as Json[] }
}

/** The requested fields. If `domain_filter` was sent, even empty, the bare array of results, which older clients expect. */
export const toResults: Write = (row, answer, request, { query }) => {
  const { results } = writeMessage(row.call.output, answer) as { results: { [field: string]: Json }[] }
  const { fields } = request as SearchRequest
  const trimmed =
    fields.length === 0
      ? results.map(({ headings, ...each }) => each)
      : results.map((each) => Object.fromEntries(fields.map((name) => [name, each[name]!])))
  return query.has('domain_filter') ? trimmed : { results: trimmed }
}

/** The requested address with these parameters set. */
function withQuery({ address, query }: RestInput, values: Record<string, string>): string {
  const parameters = new URLSearchParams({ ...Object.fromEntries(query), ...values })
  return `${address.replace(/\/?$/, '/')}?${parameters}`
}

// Messages: one address both sends messages and continues answers. The response is the end of the turn.
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
  const { message } = input.json as Record<string, unknown>
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
  return (json as Record<string, unknown>)[continued] !== null
}

function readFinal(answer: Message): TurnFinal {
  const { event } = (answer as SendMessageResponse).event ?? {}
  if (event?.case !== 'final') throw new Error('the turn has no end')
  return event.value
}
