// Expected errors. Domain code throws DomainError and knows neither HTTP nor Connect; services/guard converts it
// for callers.

/** All reasons, with their Connect codes. The gateway maps code and reason to an HTTP status. */
export const reasons = {
  invalid: 'InvalidArgument',
  read_only: 'InvalidArgument',
  too_large: 'InvalidArgument',
  host_not_allowed: 'InvalidArgument',
  unauthenticated: 'Unauthenticated',
  permission_denied: 'PermissionDenied',
  domain_not_allowed: 'PermissionDenied',
  not_found: 'NotFound',
  never_synced: 'NotFound',
  slug_taken: 'AlreadyExists',
  source_exists: 'AlreadyExists',
  member_exists: 'AlreadyExists',
  never_indexed: 'FailedPrecondition',
  crawl_needed: 'FailedPrecondition',
  run_ended: 'FailedPrecondition',
  not_continuable: 'FailedPrecondition',
  chat_full: 'FailedPrecondition',
  last_administrator: 'FailedPrecondition',
  sync_running: 'FailedPrecondition',
  no_sources: 'FailedPrecondition',
  changed_meanwhile: 'Aborted',
  rate_limited: 'ResourceExhausted',
  unimplemented: 'Unimplemented',
  unavailable: 'Unavailable',
} as const

export type Reason = keyof typeof reasons

/** Problems by field path in the caller's JSON (`config.chat.actions`). Each problem is a short phrase. */
export type FieldErrors = Record<string, string[]>

export class DomainError extends Error {
  readonly reason: Reason
  readonly fields: FieldErrors | null
  /** Seconds after which a retry may succeed, sent to callers; null if unknown. */
  readonly retryAfter: number | null

  /** `sentence` is shown to callers. It must not contain paths, keys or messages of drivers. */
  constructor(
    reason: Reason,
    sentence: string,
    fields: FieldErrors | null = null,
    cause?: unknown,
    retryAfter: number | null = null,
  ) {
    super(sentence, { cause })
    this.name = 'DomainError'
    this.reason = reason
    this.fields = fields
    this.retryAfter = retryAfter
  }
}

/** An invalid field. `problem` completes a sentence that begins with the field. */
export function invalidField(field: string, problem: string): DomainError {
  return new DomainError('invalid', `${field}: ${problem}.`, { [field]: [problem] })
}

/** A limit is exceeded. `what` is a sentence (`Too many messages in this chat.`). The time to wait is added. */
export function rateLimited(what: string, seconds: number): DomainError {
  return new DomainError('rate_limited', `${what} Try again in ${seconds} s.`, null, undefined, seconds)
}

/** The servers that Lectern depends on, named as in health. */
export type Backend = 'store' | 'index' | 'runs' | 'core'

const awaySentences: Record<Backend, string> = {
  store: 'The database is temporarily unavailable. Try again in a moment.',
  index: 'Search is temporarily unavailable. Try again in a moment.',
  runs: 'Syncs are temporarily unavailable. Try again in a moment.',
  core: 'Lectern is temporarily unavailable. Try again in a moment.',
}

/**
 * A server is unreachable, times out or refuses access (`cause`: AccessRefused), or a database is temporarily
 * read-only.
 */
export function backendAway(backend: Backend, cause: unknown): DomainError {
  return new DomainError('unavailable', awaySentences[backend], null, cause, 5)
}

/** Whether the error says that a server is unavailable. A later retry may succeed. */
export function isAway(error: unknown): error is DomainError {
  return error instanceof DomainError && error.reason === 'unavailable'
}

/** A server rejects the configured user, password or key. Never shown to callers. */
export class AccessRefused extends Error {
  constructor(cause?: unknown) {
    super('access was refused', { cause })
    this.name = 'AccessRefused'
  }
}

/** Thrown by the store if a unique value is taken. `field`: its name in the row. */
export class Conflict extends Error {
  readonly field: string

  constructor(field: string) {
    super(`${field} is taken`)
    this.name = 'Conflict'
    this.field = field
  }
}

/** Whether the error is a Conflict, and of `field` if given. */
export function isConflict(error: unknown, field?: string): error is Conflict {
  return error instanceof Conflict && (field === undefined || error.field === field)
}
