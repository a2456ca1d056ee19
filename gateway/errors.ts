// Errors of the gateway: its own refusals, and the one table that maps every error to a status and a body.
import { Code, ConnectError } from '@connectrpc/connect'
import { ErrorDetailSchema } from '../gen/lectern/v1/error_pb.js'
import { type HttpResponse, toJson } from './http.ts'

/** Field path in the caller's JSON (`config.chat.actions`) → its faults, each a short phrase. */
export type FieldErrors = Record<string, string[]>

type Headers = Record<string, string>

/** Statuses by reason, also of the core where one differs from its code's. */
const refusals = {
  invalid: 400,
  read_only: 400,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_large: 413,
  unsupported_media_type: 415,
  upgrade_required: 426,
  rate_limited: 429,
  unavailable: 503,
}

/** A request that the gateway itself refuses. */
export class Refusal extends Error {
  readonly reason: keyof typeof refusals
  readonly fields: FieldErrors
  /** Response headers, such as `allow` of a 405. */
  readonly headers: Headers

  constructor(
    reason: keyof typeof refusals,
    sentence: string,
    fields: FieldErrors = {},
    headers: Headers = {},
  ) {
    super(sentence)
    this.name = 'Refusal'
    this.reason = reason
    this.fields = fields
    this.headers = headers
  }
}

/** `what` exceeds a limit: `Too many sockets are open.` */
export function rateLimited(what: string, seconds: number): Refusal {
  const sentence = `${what} Try again in ${seconds} s.`
  return new Refusal('rate_limited', sentence, {}, { 'retry-after': String(seconds) })
}

interface Fault {
  status: number
  /** `code` of the body. */
  reason: string
  sentence: string
  headers: Headers
  fields: FieldErrors
}

const soon = { 'retry-after': '5' }

function toRow(status: number, reason: string, sentence: string, headers: Headers = {}): Fault {
  return { status, reason, sentence, headers, fields: {} }
}

const invalid = toRow(400, 'invalid', 'The request is not valid.')
const conflict = toRow(409, 'conflict', 'The state does not allow this.')
const internal = toRow(500, 'internal', 'internal error')
const away = 'Lectern is temporarily unavailable. Try again in a moment.'
const unavailable = toRow(503, 'unavailable', away, soon)

/** Reason and sentence are used for errors without their own, such as Connect's. */
const byCode: Record<Code, Fault> = {
  [Code.InvalidArgument]: invalid,
  [Code.OutOfRange]: invalid,
  [Code.Unauthenticated]: toRow(401, 'unauthenticated', 'This needs an API key.', {
    'www-authenticate': 'Api-Key',
  }),
  [Code.PermissionDenied]: toRow(403, 'permission_denied', 'This is not allowed.'),
  [Code.NotFound]: toRow(404, 'not_found', 'The resource does not exist.'),
  [Code.AlreadyExists]: conflict,
  [Code.FailedPrecondition]: conflict,
  [Code.Aborted]: conflict,
  [Code.ResourceExhausted]: toRow(429, 'rate_limited', 'Too many requests. Try again in a moment.', {
    'retry-after': '60',
  }),
  [Code.Unimplemented]: toRow(501, 'unimplemented', 'This version of Lectern does not do this yet.'),
  [Code.Unavailable]: unavailable,
  [Code.DeadlineExceeded]: unavailable,
  [Code.Canceled]: unavailable,
  [Code.Unknown]: internal,
  [Code.Internal]: internal,
  [Code.DataLoss]: internal,
}

/** Statuses of REST v1 by reason, where they differ. After a 403 an older client starts a new chat. */
const statusesV1: Record<string, number> = {
  unauthenticated: 403,
  no_sources: 400,
  sync_running: 400,
  chat_full: 403,
}

/** Formats the error for the surface of the path: a page for people, REST v1, or else REST v2. */
export function toErrorResponse(error: unknown, path = ''): HttpResponse {
  const { status, headers, sentence, reason, fields } = toFault(error)
  if (path.startsWith('/files/')) {
    return {
      status,
      headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
      body: `${sentence}\n`,
    }
  }
  if (path.startsWith('/api/v1/')) {
    const { 'www-authenticate': _, ...others } = headers
    return toJson(statusesV1[reason] ?? status, { error: sentence }, others)
  }
  const hasFields = Object.keys(fields).length > 0
  return toJson(status, { error: sentence, code: reason, ...(hasFields && { fields }) }, headers)
}

/** Errors that were not worded for callers become `internal error`. */
export function toFault(error: unknown): Fault {
  if (error instanceof Refusal) {
    const { reason, message: sentence, fields } = error
    const headers = { ...(reason === 'unavailable' && soon), ...error.headers }
    return { status: refusals[reason], reason, sentence, headers, fields }
  }
  if (!(error instanceof ConnectError)) return internal
  const row = byCode[error.code]
  const wait = error.metadata.get('retry-after')
  const headers = { ...row.headers, ...(wait && { 'retry-after': wait }) }
  const [detail] = error.findDetails(ErrorDetailSchema)
  if (!detail) return { ...row, headers }
  const { reason } = detail
  const fields = Object.entries(detail.fields).map(([path, { messages }]) => [path, messages])
  const status = (refusals as Record<string, number>)[reason] ?? row.status
  return { status, reason, sentence: error.rawMessage, headers, fields: Object.fromEntries(fields) }
}

/** Whether the error is unexpected and not yet logged. The core has logged its own. */
export function isUnforeseen(error: unknown): boolean {
  if (error instanceof Refusal) return false
  if (!(error instanceof ConnectError)) return true
  return byCode[error.code] === internal && error.findDetails(ErrorDetailSchema).length === 0
}

/** Whether the core reports that a backend is unavailable. */
export function isBackendAway(error: unknown): boolean {
  return (
    error instanceof ConnectError &&
    error.code === Code.Unavailable &&
    error.findDetails(ErrorDetailSchema).length > 0
  )
}
