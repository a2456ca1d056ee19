// How a row of a REST table is served: read the request, call the core, write the answer. Answers of a streaming RPC are sent as
// server-sent events (`text/event-stream`), or as a file.
import { getOption, type Message } from '@bufbuild/protobuf'
import pTimeout from 'p-timeout'
import { access } from '../gen/lectern/v1/options_pb.js'
import type { CallerReader } from './caller.ts'
import { type CallContext, type CoreClient, type Origin, toCallContext } from './core-client.ts'
import { Refusal, toErrorAnswer } from './errors.ts'
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

/** Proxies close a connection on which nothing comes for a minute. */
const heartbeatInterval = 15_000

/** Throws ConnectError where the call fails before its first answer. `closing`: ends all streams. */
export async function openStream(
  core: CoreClient,
  row: Row,
  message: Message,
  context: CallContext,
  { closing, write }: { closing: AbortSignal; write(answer: Message): Json },
): Promise<Answer> {
  const leaving = new AbortController()
  const signal = AbortSignal.any([context.signal, closing, leaving.signal])
  const answers = (await core.stream(row.call, message, { ...context, signal }))[Symbol.asyncIterator]()
  const first = await answers.next()

  async function* toEvents(): AsyncGenerator<string> {
    try {
      for (let next = Promise.resolve(first); ; ) {
        const result = await pTimeout(next, { milliseconds: heartbeatInterval, fallback: () => null })
        if (result?.done) return
        yield result === null ? ':\n\n' : `data: ${JSON.stringify(write(result.value))}\n\n`
        if (result !== null) next = answers.next()
      }
    } catch (error) {
      if (!signal.aborted) yield `event: error\ndata: ${toErrorAnswer(error).body}\n\n`
    }
  }

  /** Throws where the file cannot be completed, so that its reader does not take it for whole. */
  async function* toPieces(): AsyncGenerator<Uint8Array> {
    for (let result = first; !result.done; result = await answers.next())
      yield (result.value as Message & { data: Uint8Array }).data
  }
  const end = () => leaving.abort()
  return {
    status: row.status,
    // nginx passes each piece on at once.
    headers: { ...toHeaders(row), 'x-accel-buffering': 'no' },
    body: '',
    stream: Object.assign(row.file === undefined ? toEvents() : toPieces(), {
      /** Also before the first event was asked for. */
      async return() {
        end()
        return { done: true as const, value: undefined }
      },
    }),
  }
}

function toHeaders({ file }: Row): Record<string, string> {
  if (file === undefined) return { 'content-type': 'text/event-stream' }
  const disposition = `attachment; filename="${file}"`
  return { 'content-type': 'application/octet-stream', 'content-disposition': disposition }
}
