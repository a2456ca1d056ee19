// Writers that the rows of the REST tables name: message of the RPC → JSON.
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  type Message,
} from '@bufbuild/protobuf'
import { answer as answerOption } from '../gen/lectern/v1/options_pb.js'
import type { SearchRequest } from '../gen/lectern/v1/search_pb.js'
import { type Json, writeMessage } from './json/write.ts'
import type { RestInput, Write } from './rest-row.ts'

const defaultLimit = 20
const maxLimit = 100

/** The field that the RPC names as its answer, or else the whole message. */
export const toAnswer: Write = (row, answer) => {
  const { kind, field } = answerOf(row.call)
  return writeMessage(kind, field ? (fieldOf(answer, field) as Message) : answer)
}

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
      ? results
      : results.map((each) => Object.fromEntries(fields.map((name) => [name, each[name]!])))
  return query.has('domain_filter') ? trimmed : { results: trimmed }
}

/** The message that is the body of the answer, and the response's field that holds it; null: the response itself. */
export function answerOf(rpc: DescMethod): { kind: DescMessage; field: DescField | null } {
  const name = getOption(rpc, answerOption)
  const field = rpc.output.fields.find((candidate) => candidate.name === name)
  return field?.message ? { kind: field.message, field } : { kind: rpc.output, field: null }
}

function fieldOf(message: Message, field: DescField): unknown {
  return (message as unknown as Record<string, unknown>)[field.localName]
}

/** The address that was asked for, with these parameters in place of those of their names. */
function withQuery({ address, query }: RestInput, values: Record<string, string>): string {
  const parameters = new URLSearchParams({ ...Object.fromEntries(query), ...values })
  return `${address.replace(/\/?$/, '/')}?${parameters}`
}
