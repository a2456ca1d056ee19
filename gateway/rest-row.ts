// A row of a REST table, with the readers and writers that rows name; rest.ts serves the rows.
import { create, type DescField, type DescMethod, type Message } from '@bufbuild/protobuf'
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt'
import { ContentScope, type SearchRequest } from '../gen/lectern/v1/search_pb.js'
import type { CallContext, CoreClient } from './core-client.ts'
import type { FieldErrors } from './errors.ts'
import type { HeaderName } from './http.ts'
import { isObject, type ReadOptions, readMessage, refuse } from './json/read.ts'
import { findBody, type Json, writeAnswer, writeMessage } from './json/write.ts'
import { type Query, readParameters } from './query.ts'
import type { Route } from './router.ts'

export interface Row {
  method: Route['method']
  path: string
  call: DescMethod
  read: Read
  write: Write
  status: number
  /** The status of answers of another kind. */
  also?: { status: number; when(answer: Message): boolean }
  /** The row that serves a body of another kind at this address. */
  instead?: { row: Row; when(json: unknown): boolean }
  /** Fields of the RPC's request that this surface does not take. */
  hidden?: readonly string[]
  /** Fields that have the same value in every request, by their names in a message. */
  fixed?: Record<string, unknown>
  /** Names in the body → names of the fields that they fill, where they are others. */
  renamed?: Record<string, string>
  /** How the query string is read; `readQuery` where it is left out. */
  readQuery?(raw: string): Query
  /** The row that serves forms at this address. */
  form?: Row
  /** The body is a form: names of its parts → `file`, `site`, or the field of UploadFields that they fill. */
  parts?: Record<string, string>
  /** Parts of other names are passed over. */
  ignoresUnknown?: boolean
  /** The RPC streams answers, which are sent as server-sent events. */
  isStream?: boolean
  /** The RPC streams `data`, which is sent as a file of this name. */
  file?: string
  /** Also answered as CSV, where the caller prefers that. */
  csv?: boolean
  /** The body names the project, and the path does not. */
  projectInBody?: boolean
  /** Told of what the core throws when it is called; throws it, or another in its place. */
  whenFailed?(error: unknown): never
  /** Told of a request that is refused before the core is called; may throw another refusal. */
  whenRefused?(core: CoreClient, input: RestInput, context: CallContext): Promise<void>
}

export interface RestInput {
  parameters: Record<string, string>
  query: Query
  headers: Record<HeaderName, string>
  /** The body of a POST or PATCH; `{}` where it is empty. */
  json: unknown
  /** The address that was asked for, without its query: what links in the answer begin with. */
  address: string
}

/** Request → message of the RPC. Throws Refusal. */
export type Read = (row: Row, input: RestInput) => Message
/** Message of the RPC → JSON; null: no body. */
export type Write = (row: Row, answer: Message, request: Message, input: RestInput) => Json

// Readers: request → message of the RPC. Path parameters, the header X-Chat-Restore-Token and query parameters fill the
// fields of their names.
/** The path, and headers, alone: whom and what the request is about. */
export const fromPath: Read = (row, input) => create(row.call.input, elsewhere(row, input))

/** The path, and query parameters for all other fields of the request; unknown parameters are ignored. */
export const fromQuery: Read = (row, input) => {
  const faults: FieldErrors = {}
  const init = readParameters(freeFields(row), input.query, faults)
  refuse(faults)
  return create(row.call.input, { ...init, ...elsewhere(row, input) })
}

/** The same for search, with `source_types=all`, as other clients say `content_scope=all`. */
export const fromSearch: Read = (row, input) => {
  const message = fromQuery(row, input) as SearchRequest
  if (!message.contentScope && input.query.get('source_types') === 'all') {
    message.contentScope = ContentScope.ALL
  }
  return message
}

/** The path, and a JSON body: the field that the RPC names as its body, or else all other fields of the request. */
export const fromBody: Read = (row, input) => readBody(row, input)

/** The same, where fields that nobody knows are passed over, and null counts as left out. */
export const fromKnown: Read = (row, input) => {
  const { renamed = {} } = row
  const isOwnName = (name: string) => Object.values(renamed).includes(name)
  const given = isObject(input.json) ? Object.entries(input.json).filter(([name]) => !isOwnName(name)) : null
  const json = given ? Object.fromEntries(given.map(([name, value]) => [renamed[name] ?? name, value])) : null
  return readBody(row, { ...input, json }, { ignores: () => true, isNullLeftOut: true })
}

/** The same, with the mask of what the body names. */
export const fromPatch: Read = (row, input) => readBody(row, input, { update: true })

export function readBody(row: Row, input: RestInput, options: Omit<ReadOptions, 'without'> = {}): Message {
  const { update = false } = options
  const { kind, field } = findBody(row.call)
  const without = field ? new Set<string>() : new Set(takenNames(row))
  const { message, paths } = readMessage(kind, input.json, { ...options, without })
  if (!field) return Object.assign(message, elsewhere(row, input))
  const mask = row.call.input.fields.find(({ message: type }) => type === FieldMaskSchema)
  return create(row.call.input, {
    ...elsewhere(row, input),
    [field.localName]: message,
    ...(update && mask && { [mask.localName]: create(FieldMaskSchema, { paths }) }),
  })
}

/** Fields of the request that come neither from the path nor from a header. */
export function freeFields(row: Row): DescField[] {
  const taken = takenNames(row)
  return row.call.input.fields.filter((field) => !taken.includes(field.name))
}

export function pathNames({ path }: Row): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
}

const restoreToken = 'restore_token'

/** Names of the fields that come from path and headers, and of those that are not taken. */
export function takenNames(row: Row): string[] {
  const fixed = row.call.input.fields.filter(({ localName }) => row.fixed && localName in row.fixed)
  return [...pathNames(row), ...(row.hidden ?? []), ...fixed.map(({ name }) => name), restoreToken]
}

/** Values of the fields that come from path and headers, and constant ones. */
function elsewhere(row: Row, { parameters, headers }: RestInput): Record<string, unknown> {
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

/** No body, or `{}` where the status wants one. */
export const toNothing: Write = ({ status }) => (status === 204 ? null : {})

/** The envelope of lists: `{count, next, previous, results}`, with absolute links or null. */
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

/** A chat with a page of its messages, newest first, and `next`: the absolute link of the page before, or null. */
export const toConversation: Write = (row, answer, request, input) => {
  const chat = toAnswer(row, answer, request, input) as { message_count: number; messages: Json[] }
  const { limit = defaultLimit, offset } = request as unknown as { limit?: number; offset: number }
  const to = offset + chat.messages.length
  const page = { limit: String(Math.min(limit, maxLimit)), offset: String(to) }
  const isLeft = chat.messages.length > 0 && to < chat.message_count
  return { ...chat, next: isLeft ? withQuery(input, page) : null }
}

/** `{results}` of files; a site that came alone is the answer itself. */
export const toUploaded: Write = (row, answer) => {
  const { results } = writeMessage(row.call.output, answer) as { results: { type?: Json }[] }
  return results.length === 1 && results[0]?.type === 'hosted_site'
    ? (results[0] as Json)
    : { results: results as Json[] }
}

/** The requested fields; the bare array of results where `domain_filter` was sent, even empty, because older clients expect it. */
export const toResults: Write = (row, answer, request, { query }) => {
  const { results } = writeMessage(row.call.output, answer) as { results: { [field: string]: Json }[] }
  const { fields } = request as SearchRequest
  const trimmed =
    fields.length === 0
      ? results.map(({ headings, ...each }) => each)
      : results.map((each) => Object.fromEntries(fields.map((name) => [name, each[name]!])))
  return query.has('domain_filter') ? trimmed : { results: trimmed }
}

/** The address that was asked for, with these parameters in place of those of their names. */
function withQuery({ address, query }: RestInput, values: Record<string, string>): string {
  const parameters = new URLSearchParams({ ...Object.fromEntries(query), ...values })
  return `${address.replace(/\/?$/, '/')}?${parameters}`
}
