// Serves a row of a REST table: reads the request, calls the core, writes the response. A streaming RPC is sent as server-sent
// events (`text/event-stream`), or as a file.
import { getOption, type Message } from '@bufbuild/protobuf'
import pTimeout from 'p-timeout'
import { access } from '../gen/lectern/v1/options_pb.js'
import type { CallerReader } from './caller.ts'
import type { CallContext, CoreClient, Origin } from './core-client.ts'
import { Refusal, toErrorResponse } from './errors.ts'
import { isForm, isMultipart, sendForm } from './form.ts'
import { type HttpRequest, type HttpResponse, toJson } from './http.ts'
import { checkType, readJson } from './json/read.ts'
import type { Json } from './json/write.ts'
import { prefersCsv, toCsv } from './negotiate.ts'
import { readQuery } from './query.ts'
import { fromPath, type RestInput, type RestRow } from './rest-row.ts'
import type { Route } from './router.ts'

/** Maximum names and values in a body: for calls that need a key, and for open ones. */
const maxValues = { withKey: 50_000, open: 1_000 }

function toAnswer({ csv }: RestRow, status: number, json: Json, accept: string): HttpResponse {
  if (json === null) return { status, headers: {}, body: '' }
  const vary = csv ? { vary: 'accept' } : {}
  if (!csv || !prefersCsv(accept)) return toJson(status, json, vary)
  return { status, headers: { ...vary, 'content-type': 'text/csv; charset=utf-8' }, body: toCsv(json) }
}

interface RestDeps {
  core: CoreClient
  caller: CallerReader
  /** Aborted when the gateway closes. Ends streams. */
  closing?: AbortSignal
  surface: Origin['surface']
}

export function toRoute(row: RestRow, { core, caller, closing, surface }: RestDeps): Route {
  const { permission, public: isPublic, restoreToken } = getOption(row.call, access)
  const plainKind = permission !== '' && !isPublic && !restoreToken ? 'withKey' : 'open'
  const hasBody = row.method === 'POST' || row.method === 'PATCH'

  const form = row.parts ? row : row.form
  const isFormType = (type: string) => form !== undefined && (form === row ? isForm(type) : isMultipart(type))

  async function readBody({ headers, body }: HttpRequest): Promise<unknown> {
    const { 'content-type': type, 'content-encoding': encoding } = headers
    // Refuses the type before the body is read, unless the body may be empty.
    if (type.startsWith('multipart/') || row.method === 'PATCH') checkType(type, encoding)
    const bytes = await body()
    if (bytes.length > 0) checkType(type, encoding)
    return readJson(bytes, maxValues[plainKind])
  }

  /** Returns the row that serves the request, and the message. Rejects with Refusal. */
  async function read(request: HttpRequest, input: RestInput, context: CallContext) {
    try {
      if (hasBody) input.json = await readBody(request)
      const taken = row.instead?.when(input.json) ? row.instead.row : row
      return { taken, message: taken.read(taken, input) }
    } catch (fault) {
      // Without permission, the caller sees only that error, not the faults of the query.
      if (!hasBody) await core.admit(row.call, fromPath(row, input), context)
      if (fault instanceof Refusal) await row.whenRefused?.(core, input, context)
      throw fault
    }
  }

  async function send(request: HttpRequest, input: RestInput, context: CallContext) {
    if (form && (form === row || isMultipart(request.headers['content-type']))) {
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
    bodyKind: (type) => (isFormType(type) ? 'streamed' : plainKind),
    async answer(request, parameters) {
      const context = caller.context(surface, request)
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

/** Milliseconds between heartbeats. Proxies close a connection that is idle for a minute. */
const heartbeatInterval = 15_000

/** Rejects with ConnectError if the call fails before its first response. `closing` ends all streams. */
export async function openStream(
  core: CoreClient,
  row: RestRow,
  message: Message,
  context: CallContext,
  { closing, write }: { closing: AbortSignal; write(answer: Message): Json },
): Promise<HttpResponse> {
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
      if (!signal.aborted) yield `event: error\ndata: ${toErrorResponse(error).body}\n\n`
    }
  }

  /** Throws if the file cannot be completed: the connection is then closed, so that the client notices. */
  async function* toPieces(): AsyncGenerator<Uint8Array> {
    for (let result = first; !result.done; result = await answers.next())
      yield (result.value as Message & { data: Uint8Array }).data
  }
  const isFile = row.file !== undefined
  return {
    status: row.status,
    headers: {
      'content-type': isFile ? 'application/octet-stream' : 'text/event-stream',
      ...(isFile && { 'content-disposition': `attachment; filename="${row.file}"` }),
      // Tells nginx not to buffer.
      'x-accel-buffering': 'no',
    },
    body: '',
    stream: Object.assign(isFile ? toPieces() : toEvents(), {
      /** Also works before the first event was read. */
      async return() {
        leaving.abort()
        return { done: true as const, value: undefined }
      },
    }),
  }
}
