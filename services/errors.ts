// The one way in which something goes wrong on purpose. Domain code throws DomainError and knows neither HTTP nor
// Connect; services/guard turns it into what callers see.

/** Every reason there is, with the Connect code that carries it. The gateway maps (code, reason) to a status. */
export const reasons = {
  invalid: 'invalid_argument',
  read_only: 'invalid_argument',
  too_large: 'invalid_argument',
  host_not_allowed: 'invalid_argument',
  unauthenticated: 'unauthenticated',
  permission_denied: 'permission_denied',
  domain_not_allowed: 'permission_denied',
  not_found: 'not_found',
  never_synced: 'not_found',
  slug_taken: 'already_exists',
  source_exists: 'already_exists',
  member_exists: 'already_exists',
  never_indexed: 'failed_precondition',
  crawl_needed: 'failed_precondition',
  run_ended: 'failed_precondition',
  not_continuable: 'failed_precondition',
  chat_full: 'failed_precondition',
  last_administrator: 'failed_precondition',
  sync_running: 'failed_precondition',
  no_sources: 'failed_precondition',
  changed_meanwhile: 'aborted',
  rate_limited: 'resource_exhausted',
  unimplemented: 'unimplemented',
  unavailable: 'unavailable',
} as const

export type Reason = keyof typeof reasons

/** Field path in the JSON of the caller (`config.chat.actions`) → what is wrong with it, each a short phrase. */
export type FieldErrors = Record<string, string[]>

export class DomainError extends Error {
  readonly reason: Reason
  readonly fields: FieldErrors | null
  /** Seconds after which asking again may help; told to callers where it is not null. */
  readonly retryAfter: number | null

  /** `sentence` is for a person and leaves the process: no path, key or driver's message in it. */
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

/** A field of a caller that cannot be taken: `problem` completes a sentence that names it. */
export function invalidField(field: string, problem: string): DomainError {
  return new DomainError('invalid', `${field}: ${problem}.`, { [field]: [problem] })
}

/** A limit is exceeded. `what` is a sentence (`Too many messages in this chat.`), followed by when to try again. */
export function rateLimited(what: string, seconds: number): DomainError {
  return new DomainError('rate_limited', `${what} Try again in ${seconds} s.`, null, undefined, seconds)
}

/** The servers that Lectern depends on, as health names them. */
export type Backend = 'store' | 'index' | 'runs' | 'core'

const awaySentences: Record<Backend, string> = {
  store: 'The database is temporarily unavailable. Try again in a moment.',
  index: 'Search is temporarily unavailable. Try again in a moment.',
  runs: 'Syncs are temporarily unavailable. Try again in a moment.',
  core: 'Lectern is temporarily unavailable. Try again in a moment.',
}

/**
 * A server that is unreachable, answers too late or refuses access (`cause`: AccessRefused), or a database that cannot be
 * written at the moment.
 */
export function backendAway(backend: Backend, cause: unknown): DomainError {
  return new DomainError('unavailable', awaySentences[backend], null, cause, 5)
}

/** Whether a server is unavailable, so that a later retry may succeed. */
export function isAway(error: unknown): error is DomainError {
  return error instanceof DomainError && error.reason === 'unavailable'
}

/** A server answers, but what we were given to show it (user, password, key) is no good. Never told to callers. */
export class AccessRefused extends Error {
  constructor(cause?: unknown) {
    super('access was refused', { cause })
    this.name = 'AccessRefused'
  }
}

/** Thrown by the store where a unique value is taken; `field` names it as the row does. */
export class Conflict extends Error {
  readonly field: string

  constructor(field: string) {
    super(`${field} is taken`)
    this.name = 'Conflict'
    this.field = field
  }
}

/** Whether `error` says that a unique value is taken; of the given field, if one is named. */
export function isConflict(error: unknown, field?: string): error is Conflict {
  return error instanceof Conflict && (field === undefined || error.field === field)
}
