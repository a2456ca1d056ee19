// How a row of a REST table is served: read the request, call the core, write the answer.
import { getOption, type Message } from '@bufbuild/protobuf'
import { access } from '../gen/lectern/v1/options_pb.js'
import { jsonBody } from './body-kind.ts'
import type { CallerReader } from './caller.ts'
import { type CallContext, type CoreClient, createContextReader, type Origin } from './core-client.ts'
import { prefersCsv, toCsv } from './csv.ts'
import type { Answer, HttpRequest } from './http.ts'
import type { Json } from './json/write.ts'
import { readQuery } from './query.ts'
import { Refusal } from './refusal.ts'
import { fromPath } from './rest-read.ts'
import type { RestInput, Row } from './rest-row.ts'
import type { Route } from './router.ts'

/** Names and values that a body may hold: of a call that needs a key, and of one that anyone may make. */
const maxValues = { withKey: 50_000, open: 1_000 }

function fail(error: unknown): never {
  throw error
}

function toBody({ csv }: Row, json: Json, accept: string): Pick<Answer, 'headers' | 'body'> {
  if (json === null) return { headers: {}, body: '' }
  if (!csv) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }
  return prefersCsv(accept)
    ? { headers: { 'content-type': 'text/csv; charset=utf-8', vary: 'accept' }, body: toCsv(json) }
    : { headers: { 'content-type': 'application/json', vary: 'accept' }, body: JSON.stringify(json) }
}

export interface RestDeps {
  core: CoreClient
  caller: CallerReader
  surface: Origin['surface']
}

export function toRoute(row: Row, { core, caller, surface }: RestDeps): Route {
  const readContext = createContextReader(caller, surface)
  const { permission, public: isPublic, restoreToken } = getOption(row.call, access)
  const needsKey = permission !== '' && !isPublic && !restoreToken
  const hasBody = row.method === 'POST' || row.method === 'PATCH'

  const body = row.body ?? jsonBody

  async function jsonOf(request: HttpRequest): Promise<unknown> {
    const { 'content-type': type, 'content-encoding': encoding } = request.headers
    // A body that will be refused anyway is not waited for, unless it may turn out to be empty.
    if (type.startsWith('multipart/') || row.method === 'PATCH') body.check(type, encoding)
    const bytes = await request.body()
    if (bytes.length > 0) body.check(type, encoding)
    return body.read(bytes, type, needsKey ? maxValues.withKey : maxValues.open)
  }

  /** Who may not ask learns only that: neither body nor query are read for them. */
  async function read(row: Row, input: RestInput, context: CallContext): Promise<Message> {
    try {
      return row.read(row, input)
    } catch (fault) {
      if (!hasBody) await core.admit(row.call, fromPath(row, input), context)
      throw fault
    }
  }

  async function take(request: HttpRequest, input: RestInput, context: CallContext) {
    try {
      if (hasBody) input.json = await jsonOf(request)
      const taken = row.instead?.when(input.json) ? row.instead.row : row
      return { taken, message: await read(taken, input, context) }
    } catch (fault) {
      if (fault instanceof Refusal) await row.whenRefused?.(core, input, context)
      throw fault
    }
  }

  return {
    method: row.method,
    path: row.path,
    needsKey,
    async answer(request, parameters) {
      const context = readContext(request)
      const input: RestInput = {
        parameters,
        query: (row.readQuery ?? readQuery)(request.query),
        headers: request.headers,
        json: {},
        address: caller.base(request) + request.path,
      }
      if (hasBody && !row.projectInBody) await core.admit(row.call, fromPath(row, input), context)
      const { taken, message } = await take(request, input, context)
      if (row.projectInBody) await core.admit(taken.call, message, context)
      const answer = await core.call(taken.call, message, context).catch(row.whenFailed ?? fail)
      const json = taken.write(taken, answer, message, input)
      return {
        status: taken.also?.when(answer) ? taken.also.status : taken.status,
        ...toBody(row, json, request.headers.accept),
      }
    },
  }
}
