// Readers that the rows of the REST tables name: request → message of the RPC. Path parameters, the header
// X-Chat-Restore-Token and query parameters fill the fields of their names.
import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  type Message,
} from '@bufbuild/protobuf'
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt'
import { body as bodyOption } from '../gen/lectern/v1/options_pb.js'
import { ContentScope, type SearchRequest } from '../gen/lectern/v1/search_pb.js'
import { isObject, type ReadOptions, readMessage, refuse } from './json/read.ts'
import { readParameters } from './query.ts'
import type { FieldErrors } from './refusal.ts'
import type { Read, RestInput, Row } from './rest-row.ts'

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
  const { json } = input
  if (!isObject(json)) return readBody(row, input)
  const given = Object.entries(json).filter(([name, value]) => value !== null && !isFieldRenamed(row, name))
  const renamed = given.map(([name, value]) => [row.renamed?.[name] ?? name, value])
  return readBody(row, { ...input, json: Object.fromEntries(renamed) }, { ignoresUnknown: true })
}

/** The same, with the mask of what the body names. */
export const fromPatch: Read = (row, input) => readBody(row, input, { update: true })

function readBody(row: Row, input: RestInput, options: Omit<ReadOptions, 'without'> = {}): Message {
  const { update = false } = options
  const { kind, field } = bodyOf(row.call)
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

/** The message that a body is read into, and the request's field that holds it; null: the request itself. */
export function bodyOf(rpc: DescMethod): { kind: DescMessage; field: DescField | null } {
  const name = getOption(rpc, bodyOption)
  const field = rpc.input.fields.find((candidate) => candidate.name === name)
  return field?.message ? { kind: field.message, field } : { kind: rpc.input, field: null }
}

/** Fields of the request that neither the path nor a header tells. */
export function freeFields(row: Row): DescField[] {
  const taken = takenNames(row)
  return row.call.input.fields.filter((field) => !taken.includes(field.name))
}

/** Names of the path's parameters. */
export function pathNames({ path }: Row): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
}

const restoreToken = 'restore_token'

/** Whether a field goes by another name in the body, and this is its own. */
function isFieldRenamed({ renamed = {} }: Row, name: string): boolean {
  return Object.values(renamed).includes(name)
}

/** Names of the fields that path and headers tell, and of those that are not taken. */
export function takenNames(row: Row): string[] {
  const fixed = row.call.input.fields.filter(({ localName }) => row.fixed && localName in row.fixed)
  return [...pathNames(row), ...(row.hidden ?? []), ...fixed.map(({ name }) => name), restoreToken]
}

/** Values of the fields that path and headers tell, and of those that are always the same. */
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
