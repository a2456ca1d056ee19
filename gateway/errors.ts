// Errors of the gateway: what it refuses itself, and the one table that gives every error its status and its body.
import { Code, ConnectError } from '@connectrpc/connect'
import { ErrorDetailSchema } from '../gen/lectern/v1/error_pb.js'
import type { Answer } from './http.ts'

/** Field path in the JSON of the caller (`config.chat.actions`) → what is wrong with it, each a short phrase. */
export type FieldErrors = Record<string, string[]>

export type RefusalReason =
  | 'invalid'
  | 'read_only'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'unavailable'

/** What the gateway refuses, before or instead of asking the core. */
export class Refusal extends Error {
  readonly reason: RefusalReason
  readonly fields: FieldErrors
  /** Headers that go with it: `allow` of a 405. */
  readonly headers: Record<string, string>

  /** `sentence` is for a person. */
  constructor(
    reason: RefusalReason,
    sentence: string,
    fields: FieldErrors = {},
    headers: Record<string, string> = {},
  ) {
    super(sentence)
    this.name = 'Refusal'
    this.reason = reason
    this.fields = fields
    this.headers = headers
  }
}

interface Row {
  status: number
  /** `code` and sentence of the body where the error brings none of its own: Connect's errors do not. */
  reason: string
  sentence: string
  headers?: Record<string, string>
}

const soon = { 'retry-after': '5' }
const away = 'Lectern is temporarily unavailable. Try again in a moment.'
const invalid: Row = { status: 400, reason: 'invalid', sentence: 'The request is not valid.' }
const internal: Row = { status: 500, reason: 'internal', sentence: 'internal error' }
const conflict: Row = { status: 409, reason: 'conflict', sentence: 'The state does not allow this.' }
const key = { 'www-authenticate': 'Api-Key' }

const byCode: Record<Code, Row> = {
  [Code.InvalidArgument]: invalid,
  [Code.OutOfRange]: invalid,
  [Code.Unauthenticated]: {
    status: 401,
    reason: 'unauthenticated',
    sentence: 'This needs an API key.',
    headers: key,
  },
  [Code.PermissionDenied]: { status: 403, reason: 'permission_denied', sentence: 'This is not allowed.' },
  [Code.NotFound]: { status: 404, reason: 'not_found', sentence: 'There is no such thing.' },
  [Code.AlreadyExists]: conflict,
  [Code.FailedPrecondition]: conflict,
  [Code.Aborted]: conflict,
  [Code.ResourceExhausted]: {
    status: 429,
    reason: 'rate_limited',
    sentence: 'Too much was asked; try again later.',
    headers: { 'retry-after': '60' },
  },
  [Code.Unimplemented]: {
    status: 501,
    reason: 'unimplemented',
    sentence: 'This version of Lectern does not do this yet.',
  },
  [Code.Unavailable]: { status: 503, reason: 'unavailable', sentence: away, headers: soon },
  [Code.DeadlineExceeded]: { status: 503, reason: 'unavailable', sentence: away, headers: soon },
  [Code.Canceled]: { status: 503, reason: 'unavailable', sentence: away, headers: soon },
  [Code.Unknown]: internal,
  [Code.Internal]: internal,
  [Code.DataLoss]: internal,
}

/** What the gateway refuses itself. */
const byRefusal: Record<RefusalReason, { status: number; headers?: Record<string, string> }> = {
  invalid: { status: 400 },
  read_only: { status: 400 },
  forbidden: { status: 403 },
  not_found: { status: 404 },
  method_not_allowed: { status: 405 },
  too_large: { status: 413 },
  unsupported_media_type: { status: 415 },
  rate_limited: { status: 429 },
  unavailable: { status: 503, headers: soon },
}

/** Statuses by the core's reason, where they are others than those of the code. */
const statuses: Record<string, number> = { too_large: 413 }

/** An error as it is told to callers. */
export interface Fault {
  status: number
  headers: Record<string, string>
  sentence: string
  reason: string
  fields: FieldErrors
}

/** The error as the surface that the path belongs to shows it: a page for people, REST v1, or else REST v2. */
export function toErrorAnswer(error: unknown, path = ''): Answer {
  const fault = toFault(error)
  if (path.startsWith('/files/')) return toText(fault)
  return path.startsWith('/api/v1/') ? toV1(fault) : toV2(fault)
}

/** What no part of Lectern has worded for callers stays inside. */
export function toFault(error: unknown): Fault {
  if (error instanceof Refusal) {
    const { status, headers } = byRefusal[error.reason]
    const { reason, message: sentence, fields } = error
    return { status, headers: { ...headers, ...error.headers }, sentence, reason, fields }
  }
  if (!(error instanceof ConnectError)) return { ...internal, headers: {}, fields: {} }
  const row = byCode[error.code]
  const wait = error.metadata.get('retry-after')
  const headers = { ...row.headers, ...(wait && { 'retry-after': wait }) }
  const [detail] = error.findDetails(ErrorDetailSchema)
  if (!detail) return { ...row, headers, fields: {} }
  const status = statuses[detail.reason] ?? row.status
  const fields = Object.entries(detail.fields).map(([path, { messages }]) => [path, messages] as const)
  return {
    status,
    headers,
    sentence: error.rawMessage,
    reason: detail.reason,
    fields: Object.fromEntries(fields),
  }
}

function toV2({ status, headers, sentence, reason, fields }: Fault): Answer {
  const body = { error: sentence, code: reason, ...(Object.keys(fields).length > 0 && { fields }) }
  return toAnswer(status, headers, body)
}

/** Statuses of REST v1 by reason, where they differ. After a 403 an older client starts a new chat. */
const statusesV1: Record<string, number> = {
  unauthenticated: 403,
  no_sources: 400,
  sync_running: 400,
  chat_full: 403,
}

function toV1({ status, headers, sentence, reason }: Fault): Answer {
  const { 'www-authenticate': _, ...others } = headers
  return toAnswer(statusesV1[reason] ?? status, others, { error: sentence })
}

function toText({ status, headers, sentence }: Fault): Answer {
  return {
    status,
    headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
    body: `${sentence}\n`,
  }
}

/** Whether nobody foresaw the error and nobody has logged it: what the core did not foresee, it has logged. */
export function isUnforeseen(error: unknown): boolean {
  if (error instanceof Refusal) return false
  if (!(error instanceof ConnectError)) return true
  return byCode[error.code] === internal && error.findDetails(ErrorDetailSchema).length === 0
}

/** Whether the core says that what it stands on is away; a core that is away itself says nothing. */
export function isBackendAway(error: unknown): boolean {
  return (
    error instanceof ConnectError &&
    error.code === Code.Unavailable &&
    error.findDetails(ErrorDetailSchema).length > 0
  )
}

function toAnswer(status: number, headers: Record<string, string>, body: object): Answer {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
