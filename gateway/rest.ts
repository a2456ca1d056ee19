// How a row of a REST table is served: read the request, call the core, write the answer.
import { getOption, type Message } from '@bufbuild/protobuf'
import { access } from '../gen/lectern/v1/options_pb.js'
import type { CallerReader } from './caller.ts'
import { type CallContext, type CoreClient, type Origin, toCallContext } from './core-client.ts'
import { Refusal } from './errors.ts'
import { isForm, sendForm } from './form.ts'
import type { Answer, HttpRequest } from './http.ts'
import { checkType, readJson } from './json/read.ts'
import type { Json } from './json/write.ts'
import { prefersCsv, toCsv } from './negotiate.ts'
import { readQuery } from './query.ts'
import { fromPath, type RestInput, type Row } from './rest-row.ts'
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

interface RestDeps {
  core: CoreClient
  caller: CallerReader
  surface: Origin['surface']
}

export function toRoute(row: Row, { core, caller, surface }: RestDeps): Route {
  const { permission, public: isPublic, restoreToken } = getOption(row.call, access)
  const needsKey = permission !== '' && !isPublic && !restoreToken
  const hasBody = row.method === 'POST' || row.method === 'PATCH'

  const form = row.parts ? row : row.form

  async function jsonOf(request: HttpRequest): Promise<unknown> {
    const { 'content-type': type, 'content-encoding': encoding } = request.headers
    // A body that will be refused anyway is not waited for, unless it may turn out to be empty.
    if (type.startsWith('multipart/') || row.method === 'PATCH') checkType(type, encoding)
    const bytes = await request.body()
    if (bytes.length > 0) checkType(type, encoding)
    return readJson(bytes, needsKey ? maxValues.withKey : maxValues.open)
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

  async function takeMessage(request: HttpRequest, input: RestInput, context: CallContext) {
    const { taken, message } = await take(request, input, context)
    if (row.projectInBody) await core.admit(taken.call, message, context)
    const answer = await core.call(taken.call, message, context).catch(row.whenFailed ?? fail)
    return { taken, message, answer }
  }

  async function takeForm(form: Row, request: HttpRequest, input: RestInput, context: CallContext) {
    const { 'content-type': type, 'content-encoding': encoding } = request.headers
    if (!isForm(type) || !['', 'identity'].includes(encoding.toLowerCase()))
      throw new Refusal('unsupported_media_type', 'The body must be multipart/form-data, not compressed.')
    const answer = await sendForm(form, request, input, { core, context })
    return { taken: form, message: fromPath(form, input), answer }
  }

  return {
    method: row.method,
    path: row.path,
    needsKey,
    ...(form && { streams: isForm }),
    async answer(request, parameters) {
      const context = toCallContext(caller, surface, request)
      const input: RestInput = {
        parameters,
        query: (row.readQuery ?? readQuery)(request.query),
        headers: request.headers,
        json: {},
        address: caller.base(request) + request.path,
      }
      if (hasBody && !row.projectInBody) await core.admit(row.call, fromPath(row, input), context)
      const isUpload = form !== undefined && (form === row || isForm(request.headers['content-type']))
      const { taken, message, answer } = isUpload
        ? await takeForm(form, request, input, context)
        : await takeMessage(request, input, context)
      const json = taken.write(taken, answer, message, input)
      return {
        status: taken.also?.when(answer) ? taken.also.status : taken.status,
        ...toBody(row, json, request.headers.accept),
      }
    },
  }
}
