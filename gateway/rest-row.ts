// A row of a REST table. The readers and writers that rows name are in rest-read.ts and rest-write.ts; rest.ts serves them.
import type { DescMethod, Message } from '@bufbuild/protobuf'
import type { CallContext, CoreClient } from './core-client.ts'
import type { HeaderName } from './http.ts'
import type { Json } from './json/write.ts'
import type { Query } from './query.ts'
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
  /** Also answered as CSV, where the caller prefers that. */
  csv?: boolean
  /** The body names the project, and the path does not. */
  projectInBody?: boolean
  /** Told of what the core throws when it is called; throws it, or another in its place. */
  whenFailed?(error: unknown): never
  /** Told of a request that is refused before the core is called; may throw another refusal. */
  whenRefused?(core: CoreClient, input: RestInput, context: CallContext): Promise<void>
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
