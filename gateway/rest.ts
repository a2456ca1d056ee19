// How a row of a REST table is served: read the request, call the core, write the answer.
import { getOption, type Message } from '@bufbuild/protobuf'
import { access } from '../gen/lectern/v1/options_pb.js'
import type { CallerReader } from './caller.ts'
import { type CallContext, type CoreClient, type Origin, toCallContext } from './core-client.ts'
import { Refusal } from './errors.ts'
import { openStream } from './event-stream.ts'
import { isForm, sendForm } from './form.ts'
import { type Answer, type HttpRequest, toJson } from './http.ts'
import { checkType, readJson } from './json/read.ts'
import type { Json } from './json/write.ts'
import { prefersCsv, toCsv } from './negotiate.ts'
import { readQuery } from './query.ts'
import { fromPath, type RestInput, type Row } from './rest-row.ts'
import type { Route } from './router.ts'

/** Names and values that a body may hold: of a call that needs a key, and of one that anyone may make. */
const maxValues = { withKey: 50_000, open: 1_000 }

function toAnswer({ csv }: Row, status: number, json: Json, accept: string): Answer {
  if (json === null) return { status, headers: {}, body: '' }
  const vary = csv ? { vary: 'accept' } : {}
  if (!csv || !prefersCsv(accept)) return toJson(status, json, vary)
  return { status, headers: { ...vary, 'content-type': 'text/csv; charset=utf-8' }, body: toCsv(json) }
}

interface RestDeps {
  core: CoreClient
  caller: CallerReader
  /** Aborts when the gateway closes: streams end. */
  closing?: AbortSignal
  surface: Origin['surface']
}

export function toRoute(row: Row, { core, caller, closing, surface }: RestDeps): Route {
  const { permission, public: isPublic, restoreToken } = getOption(row.call, access)
  const needsKey = permission !== '' && !isPublic && !restoreToken
  const hasBody = row.method === 'POST' || row.method === 'PATCH'

  const form = row.parts ? row : row.form

  async function readBody({ headers, body }: HttpRequest): Promise<unknown> {
    const { 'content-type': type, 'content-encoding': encoding } = headers
    // A body that will be refused anyway is not waited for, unless it may turn out to be empty.
    if (type.startsWith('multipart/') || row.method === 'PATCH') checkType(type, encoding)
    const bytes = await body()
    if (bytes.length > 0) checkType(type, encoding)
    return readJson(bytes, needsKey ? maxValues.withKey : maxValues.open)
  }

  /** The row that serves the request, and the message. Throws Refusal. */
  async function read(request: HttpRequest, input: RestInput, context: CallContext) {
    try {
      if (hasBody) input.json = await readBody(request)
      const taken = row.instead?.when(input.json) ? row.instead.row : row
      return { taken, message: taken.read(taken, input) }
    } catch (fault) {
      // Who may not ask learns only that: their query is not read.
      if (!hasBody) await core.admit(row.call, fromPath(row, input), context)
      if (fault instanceof Refusal) await row.whenRefused?.(core, input, context)
      throw fault
    }
  }

  async function send(request: HttpRequest, input: RestInput, context: CallContext) {
    if (form && (form === row || isForm(request.headers['content-type']))) {
      const answer = await sendForm(form, request, input, { core, context })
      return { taken: form, message: fromPath(form, input), answer }
    }
    const { taken, message } = await read(request, input, context)
    if (row.projectInBody) await core.admit(taken.call, message, context)
    const answer = await core.call(taken.call, message, context).catch((error) => {
      row.whenFailed?.(error)
      throw error
    })
    return { taken, message, answer }
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
      if (row.isStream || row.file !== undefined) {
        const { message } = await read(request, input, context)
        const write = (answer: Message) => row.write(row, answer, message, input)
        return openStream(core, row, message, context, { closing: closing!, write })
      }
      const { taken, message, answer } = await send(request, input, context)
      const json = taken.write(taken, answer, message, input)
      const status = taken.also?.when(answer) ? taken.also.status : taken.status
      return toAnswer(row, status, json, request.headers.accept)
    },
  }
}
