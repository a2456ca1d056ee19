// A row of a REST table and how it is served: read the request, call the core, write the answer (design.md "Protocols
// are tables"). The readers and writers that rows name are in rest-read.ts and rest-write.ts.
import type { DescMethod, Message } from '@bufbuild/protobuf'
import type { CallerReader } from './caller.ts'
import { type CoreClient, createAskerReader, type Origin } from './core-client.ts'
import type { HeaderName, HttpRequest } from './http.ts'
import { checkType, readJson } from './json/body.ts'
import type { Json } from './json/write.ts'
import { type Query, readQuery } from './query.ts'
import type { Route } from './router.ts'

export interface Row {
  method: Route['method']
  path: string
  /** The RPC that answers it. */
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
  /** Judges the body's type before it is read; JSON alone is good where it is left out. */
  checkType?: typeof checkType
}

/** What a reader knows of the request. */
export interface RestInput {
  /** Of the path. */
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

export interface RestDeps {
  core: CoreClient
  caller: CallerReader
  surface: Origin['surface']
}

export function toRoute(row: Row, { core, caller, surface }: RestDeps): Route {
  const readAsker = createAskerReader(caller, surface)
  const hasBody = row.method === 'POST' || row.method === 'PATCH'

  async function jsonOf(request: HttpRequest): Promise<unknown> {
    const { 'content-type': type, 'content-encoding': encoding } = request.headers
    const check = row.checkType ?? checkType
    // A body that will be refused anyway is not waited for, unless it may turn out to be empty.
    if (type.startsWith('multipart/')) check(type, encoding)
    const bytes = await request.body()
    if (bytes.length > 0) check(type, encoding)
    return readJson(bytes)
  }

  return {
    method: row.method,
    path: row.path,
    async answer(request, parameters) {
      const input: RestInput = {
        parameters,
        query: readQuery(request.query),
        headers: request.headers,
        json: hasBody ? await jsonOf(request) : {},
        address: caller.base(request) + request.path,
      }
      const taken = row.instead?.when(input.json) ? row.instead.row : row
      const message = taken.read(taken, input)
      const answer = await core.call(taken.call, message, readAsker(request))
      const json = taken.write(taken, answer, message, input)
      return {
        status: taken.also?.when(answer) ? taken.also.status : taken.status,
        headers: json === null ? {} : { 'content-type': 'application/json' },
        body: json === null ? '' : JSON.stringify(json),
      }
    },
  }
}
