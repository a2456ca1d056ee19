// The OpenAPI 3.1 description of the REST API, generated from its rows and the contract, so that both always
// agree.
import { type DescField, getOption } from '@bufbuild/protobuf'
import { access as accessOption } from '../../gen/lectern/v1/options_pb.js'
import { UploadFieldsSchema } from '../../gen/lectern/v1/source_pb.js'
import { TurnFinalSchema } from '../../gen/lectern/v1/turn_pb.js'
import type { CallerReader } from '../caller.ts'
import { findAnswer, findBody } from '../json/write.ts'
import {
  freeFields,
  fromContinuation,
  fromKnown,
  fromMessage,
  innerNames,
  pathNames,
  type RestRow,
  takenNames,
  toConversation,
  toList,
  toNothing,
  toResults,
  toTurn,
} from '../rest-row.ts'
import * as v1 from '../rest-v1.ts'
import type { Route } from '../router.ts'
import type { Schema } from './rules.ts'
import { isRequired } from './rules.ts'
import {
  type Comments,
  createSchemas,
  names,
  oldConversation,
  readContractComments,
  type Schemas,
  sentence,
  toObject,
  toOldSettings,
} from './schemas.ts'

const json = 'application/json'

interface ErrorKind {
  description: string
  headers?: Schema
  /** Rows that never have this response. */
  never?(row: RestRow, version: Version): boolean
}

const retryAfter = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } }
const lacksBody = (row: RestRow) => !takesBody(row)

const errors: Record<number, ErrorKind> = {
  400: { description: 'The request is not valid. `fields` names the fields at fault.' },
  401: {
    description: 'The API key is missing, unknown, revoked or expired.',
    headers: { 'WWW-Authenticate': { schema: { type: 'string', const: 'Api-Key' } } },
    never: (row, version) => version === 'v1' || getOption(row.call, accessOption).anyone,
  },
  403: { description: 'The API key lacks the permission or the project.' },
  404: { description: 'The resource does not exist.' },
  409: { description: 'The state does not allow it.' },
  413: {
    description:
      'The body exceeds 1 MiB, or 64 KiB if the call needs no key. For an upload, `error` names the limit.',
    never: lacksBody,
  },
  415: { description: 'The body is not JSON.', never: lacksBody },
  429: {
    description: 'Too many requests; `Retry-After` is the number of seconds to wait.',
    headers: retryAfter,
  },
  503: {
    description: 'A backend is unavailable; `Retry-After` is the number of seconds to wait.',
    headers: retryAfter,
  },
}

export type Version = 'v1' | 'v2'

/** Readers that treat null as an absent field. */
const nullLeftOut = new Set<RestRow['read']>([fromMessage, fromContinuation, fromKnown, v1.fromOldMessage])

/** The route that serves the description of these rows. The first request generates it; only the server address depends on the request. */
export function createDescription(version: Version, rows: readonly RestRow[], caller: CallerReader): Route {
  let description: string | null = null
  return {
    method: 'GET',
    path: `/api/${version}/openapi.json`,
    isLimited: true,
    answer(request) {
      description ??= JSON.stringify(describe(version, rows, readContractComments())).slice(0, -1)
      return {
        status: 200,
        headers: { 'content-type': json },
        body: `${description},"servers":${JSON.stringify([{ url: caller.base(request) }])}}`,
      }
    },
  }
}

/** The description of these rows, without `servers`. */
export function describe(version: Version, rows: readonly RestRow[], comments: Comments): Schema {
  const schemas = createSchemas(comments, { isOpen: version === 'v1' })
  const paths: Record<string, Schema> = {}
  for (const row of rows) {
    paths[row.path] ??= {}
    paths[row.path]![row.method.toLowerCase()] = toOperation(row, version, schemas, comments)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Lectern', version, description: 'Search and chat for documentation.' },
    tags: [...new Set(rows.map(toTag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Api-Key <key>`. `X-Lectern-Team` lets the admin key work in another team.',
        },
      },
      schemas: { ...schemas.components, Error: errorSchemas[version] },
    },
  }
}

const error: Schema = { type: 'string', description: 'A sentence for a person.' }

const errorSchemas: Record<Version, Schema> = {
  v1: { type: 'object', required: ['error'], properties: { error } },
  v2: {
    type: 'object',
    required: ['error', 'code'],
    properties: {
      error,
      code: { type: 'string', description: 'A reason for a program, in snake_case.' },
      fields: {
        type: 'object',
        description: 'Field → its faults. Only present if a field is at fault.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
    },
  },
}

function toOperation(row: RestRow, version: Version, schemas: Schemas, comments: Comments): Schema {
  const rpc = `${row.call.parent.typeName}.${row.call.name}`
  const { permission, anyone, ...access } = getOption(row.call, accessOption)
  const needs = [
    permission && `Permission: \`${permission}\`${access.public ? '. A public project needs no key' : ''}.`,
    access.restoreToken && 'The restore token of the chat replaces a key.',
    access.admin && 'Requires the admin key.',
    access.anyKey && 'Requires any valid key.',
  ]
  const isOpen = access.public || access.restoreToken || anyone
  return {
    operationId: row.call.localName,
    tags: [toTag(row)],
    summary: /^.*?[.;](?=\s|$)/.exec(comments.get(rpc) ?? '')?.[0].slice(0, -1),
    description: [comments.get(rpc), ...needs].filter(Boolean).join('\n\n'),
    security: [...(isOpen ? [{}] : []), ...(anyone ? [] : [{ apiKey: [] }])],
    parameters: toParameters(row, schemas, comments),
    ...(takesBody(row) && { requestBody: toRequestBody(row, version, schemas) }),
    responses: {
      [row.status]: toSuccess(row, schemas),
      ...(row.also && { [row.also.status]: toSuccess(row, schemas) }),
      ...toErrors(row, version),
    },
  }
}

function toParameters(row: RestRow, schemas: Schemas, comments: Comments): Schema[] {
  const { input } = row.call
  const inPath = pathNames(row).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: comments.get(`${input.typeName}.${name}`),
    schema: { type: 'string' },
  }))
  const inQuery = takesBody(row)
    ? []
    : freeFields(row).map((field) => {
        const { description, ...schema } = schemas.ofField(field, 'creation')
        return {
          name: field.name,
          in: 'query',
          required: isRequired(field),
          description,
          schema: inText(schema),
          ...(field.fieldKind === 'list' && { style: 'form', explode: false }),
        }
      })
  const inHeader = input.fields
    .filter(({ name }) => name === 'restore_token')
    .map(() => ({ name: 'X-Chat-Restore-Token', in: 'header', schema: { type: 'string' } }))
  return [...inPath, ...inQuery, ...inHeader]
}

/** The schema of a query parameter: never null, and numbers above int32 are accepted as the maximum. */
function inText({ type, format, ...schema }: Schema): Schema {
  const only = Array.isArray(type) ? type.find((each) => each !== 'null') : type
  return { type: only, ...(format !== undefined && format !== 'int32' && { format }), ...schema }
}

/** The body is required if an empty one would be refused. */
function toRequestBody(row: RestRow, version: Version, schemas: Schemas): Schema {
  if (row.parts) return { required: true, content: toForm(row.parts, version, schemas) }
  const schema = toBody(row, schemas)
  const object = schemas.components[String(schema.$ref).split('/').at(-1)!] ?? schema
  const { field } = findBody(row.call)
  const asksForFields = ['required', 'oneOf', 'anyOf'].some((name) => name in object)
  const isNeeded = row.method === 'POST' && (asksForFields || (field !== null && isRequired(field)))
  const form = row.form?.parts && toForm(row.form.parts, version, schemas)
  return { ...(isNeeded && { required: true }), content: { [json]: { schema }, ...form } }
}

/** The parts of a form, by name. REST v1 ignores others. */
function toForm(parts: Record<string, string>, version: Version, schemas: Schemas): Schema {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  const properties = Object.entries(parts).map(([name, kind]) => {
    if (kind === 'file') return [name, { type: 'array', maxItems: 20, items: file }]
    if (kind === 'site') return [name, file]
    const field = UploadFieldsSchema.fields.find((each) => each.name === kind)!
    return [name, schemas.ofField(field, 'creation')]
  })
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(version === 'v2' && { additionalProperties: false }),
  }
  return { 'multipart/form-data': { schema } }
}

function toBody(row: RestRow, schemas: Schemas): Schema {
  if (!row.instead) return toOneBody(row, schemas)
  return { anyOf: [toOneBody(row, schemas), toOneBody(row.instead.row, schemas)] }
}

function toOneBody(row: RestRow, schemas: Schemas): Schema {
  const { kind, field } = findBody(row.call)
  const without = new Set(field ? [] : takenNames(row))
  return schemas.ofMessage(kind, row.method === 'PATCH' ? 'change' : 'creation', {
    without,
    renamed: row.renamed,
    holder: field,
    isNullLeftOut: nullLeftOut.has(row.read),
  })
}

function toSuccess({ call, write, status, csv, form, isStream, file }: RestRow, schemas: Schemas): Schema {
  if (status === 204) return { description: 'Deleted.' }
  const { kind } = findAnswer(call)
  const answer = () => schemas.ofMessage(kind, 'answer')
  const results = call.output.fields.find(({ name }) => name === 'results')
  const shapes = new Map<RestRow['write'], () => Schema>([
    [toNothing, () => ({ type: 'object' })],
    [toList, () => toEnvelope(schemas.ofField(results!, 'answer'))],
    [toConversation, () => ({ allOf: [answer(), toObject({ next: older })] })],
    [toTurn, () => schemas.ofMessage(TurnFinalSchema, 'answer', { without: innerNames })],
    [v1.toOldTurn, () => schemas.ofMessage(TurnFinalSchema, 'answer', { without: innerNames })],
    [toResults, () => toEitherResults(answer(), results!, schemas)],
    [v1.toOldResults, () => toEitherResults(answer(), results!, schemas)],
    [v1.toSettings, () => toOldSettings(schemas)],
    [v1.toOldConversation, () => oldConversation],
    [v1.toNames, () => names],
    [v1.toAdded, () => toObject({ message: sentence, sources: names })],
    [v1.toDeleted, () => toObject({ message: sentence })],
    [v1.toStarted, () => toObject({ message: sentence })],
  ])
  const one = (shapes.get(write) ?? answer)()
  const schema = form ? { anyOf: [one, schemas.ofMessage(form.call.output, 'answer')] } : one
  if (file !== undefined) {
    const schema = { type: 'string', format: 'binary' }
    return { description: `A file: ${file}.`, content: { 'application/octet-stream': { schema } } }
  }
  if (isStream) {
    const contentSchema = schemas.ofMessage(call.output, 'answer')
    const schema = toObject({ data: { type: 'string', contentMediaType: json, contentSchema } })
    const description = 'Server-sent events, until the run has ended. The data of each is JSON.'
    return { description, content: { 'text/event-stream': { schema } } }
  }
  const alsoCsv = csv && { 'text/csv': { schema: { type: 'string' } } }
  return { description: 'Success.', content: { [json]: { schema }, ...alsoCsv } }
}

const link = { type: ['string', 'null'], format: 'uri' }

const older = { ...link, description: 'Address of the page of older messages; null on the last.' }

/** An object with the results, or their bare array. No field of a result is required: the parameter `fields` may omit any. */
function toEitherResults(answer: Schema, results: DescField, schemas: Schemas): Schema {
  const { required: _, ...result } = schemas.components[results.message!.name]!
  schemas.components[results.message!.name] = result
  return { anyOf: [answer, schemas.ofField(results, 'answer')] }
}

function toEnvelope(results: Schema): Schema {
  return {
    type: 'object',
    required: ['count', 'next', 'previous', 'results'],
    properties: {
      count: { type: 'integer', description: 'Number of all that match.' },
      next: { ...link, description: 'Address of the next page; null on the last.' },
      previous: { ...link, description: 'Address of the previous page; null on the first.' },
      results,
    },
  }
}

function toErrors(row: RestRow, version: Version): Schema {
  const content = { [json]: { schema: { $ref: '#/components/schemas/Error' } } }
  const possible = Object.entries(errors).filter(([, { never }]) => !never?.(row, version))
  const answers = possible.map(([status, { description, headers }]) => [
    status,
    { description, ...(headers && { headers }), content },
  ])
  return { ...Object.fromEntries(answers), 431: { description: 'Address and headers exceed 16 KiB.' } }
}

function takesBody({ method }: RestRow): boolean {
  return method === 'POST' || method === 'PATCH'
}

function toTag({ call }: RestRow): string {
  return call.parent.name.replace(/Service$/, '')
}
