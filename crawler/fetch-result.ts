// What a request comes to: a page, or why there is none.
import { errors } from 'undici'
import { BlockedAddress, UnknownHost } from './dial.ts'
import { type Answer, OutOfTime, TooLarge } from './exchange.ts'
import { SilentNameServer } from './names.ts'
import { readRetryAfter } from './politeness.ts'
import { normalizeUrl } from './url.ts'

export interface PageHeaders {
  contentType: string | null
  etag: string | null
  lastModified: string | null
  xRobotsTag: string | null
  contentLanguage: string | null
  retryAfter: string | null
}

export type FailReason =
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'http_4xx'
  | 'http_5xx'
  | 'blocked_address'
  | 'too_large'
  | 'parse'

export type FetchResult =
  /** `url` is where it was read in the end, `redirectedFrom` the addresses before, in order. */
  | {
      kind: 'page'
      url: string
      status: number
      headers: PageHeaders
      body: Uint8Array
      redirectedFrom: string[]
    }
  /** The validators of the call still hold. */
  | { kind: 'unchanged' }
  | { kind: 'gone'; status: 404 | 410 }
  /** It leads to `to`, which `mayVisit` does not take. */
  | { kind: 'redirect'; to: string; from: string[]; answered: true }
  | { kind: 'skipped'; reason: 'no_content' }
  | { kind: 'failed'; reason: FailReason; message: string; answered: boolean; retryAfterMs: number | null }

const documentTypes = new Set([
  'text/html',
  'application/xhtml+xml',
  'text/plain',
  'text/markdown',
  'text/x-markdown',
])

/** `from` are the addresses that redirected to `url`. A page's body is still encoded. */
export function toResult(
  answer: Answer,
  url: string,
  from: string[],
  given: { isConditional: boolean; takesAnyType: boolean },
): FetchResult {
  const { status } = answer
  if (status === 304 && given.isConditional) return { kind: 'unchanged' }
  if (status === 404 || status === 410) return { kind: 'gone', status }
  if (status >= 500) return failed('http_5xx', `The server answered ${status}.`, true, readRetryDelay(answer))
  if (status >= 400) return failed('http_4xx', `The server answered ${status}.`, true, readRetryDelay(answer))
  if (status >= 300) return toRedirect(answer, url, from)
  if (status === 204 || status === 205) return { kind: 'skipped', reason: 'no_content' }
  if (!given.takesAnyType && !isDocument(answer.headers)) return { kind: 'skipped', reason: 'no_content' }
  const headers = toPageHeaders(answer)
  return { kind: 'page', url, status, headers, body: answer.body, redirectedFrom: from }
}

function toRedirect(answer: Answer, url: string, from: string[]): FetchResult {
  const location = readHeader(answer, 'location')
  const to = location === null ? null : normalizeUrl(location, url)
  if (to === null) return failed('parse', 'It redirects to no address that can be read.', true)
  return { kind: 'redirect', to, from: [...from, url], answered: true }
}

export function failed(
  reason: FailReason,
  message: string,
  answered: boolean,
  retryAfterMs: number | null = null,
): FetchResult {
  return { kind: 'failed', reason, message, answered, retryAfterMs }
}

function toPageHeaders(answer: Answer): PageHeaders {
  return {
    contentType: readHeader(answer, 'content-type'),
    etag: readHeader(answer, 'etag'),
    lastModified: readHeader(answer, 'last-modified'),
    xRobotsTag: readHeader(answer, 'x-robots-tag'),
    contentLanguage: readHeader(answer, 'content-language'),
    retryAfter: readHeader(answer, 'retry-after'),
  }
}

/** A header that came several times is one list. */
export function readHeader({ headers }: Pick<Answer, 'headers'>, name: string): string | null {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

/** Without a type it may be one: extraction finds out. */
export function isDocument(headers: Answer['headers']): boolean {
  const type = readHeader({ headers }, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  return !type || documentTypes.has(type)
}

/** How long a 429 or 503 asks to wait; null where it does not say. */
export function readRetryDelay(answer: Answer): number | null {
  if (answer.status !== 429 && answer.status !== 503) return null
  return readRetryAfter(readHeader(answer, 'retry-after'), Date.now())
}

interface Failure {
  reason: FailReason
  /** A sentence for the event log. */
  message: string
}

const failures = {
  dns: { reason: 'dns', message: 'The name of the host could not be resolved.' },
  silent: {
    reason: 'dns',
    message:
      'The name server of the host did not answer. Other names of its domain are not looked up for a minute.',
  },
  tls: {
    reason: 'tls',
    message: 'No secure connection could be made: the certificate or the protocol is not accepted.',
  },
  timeout: { reason: 'timeout', message: 'The server took too long.' },
  tooLarge: { reason: 'too_large', message: 'The answer is larger than may be read.' },
  parse: {
    reason: 'parse',
    message: 'The answer is not valid HTTP, or its content is not encoded as it says.',
  },
  connection: { reason: 'connection', message: 'The connection was refused or broke off.' },
} satisfies Record<string, Failure>

const byClass = [
  [UnknownHost, failures.dns],
  [SilentNameServer, failures.silent],
  [OutOfTime, failures.timeout],
  [TooLarge, failures.tooLarge],
] as const

/** Error codes by their beginning, of node and of undici. */
const byCode: [string, Failure][] = [
  ['UND_ERR_CONNECT_TIMEOUT', failures.timeout],
  ['UND_ERR_HEADERS_TIMEOUT', failures.timeout],
  ['UND_ERR_BODY_TIMEOUT', failures.timeout],
  ['ETIMEDOUT', failures.timeout],
  ['UND_ERR_HEADERS_OVERFLOW', failures.tooLarge],
  ['HPE_HEADER_OVERFLOW', failures.tooLarge],
  ['HPE_', failures.parse],
  ['Z_', failures.parse],
  ['ERR_BROTLI', failures.parse],
  ['ERR__ERROR', failures.parse],
  ['ZSTD_', failures.parse],
  ['UND_ERR_INVALID_ARG', failures.parse],
  ['ENOTFOUND', failures.dns],
  ['EAI_', failures.dns],
  ['ERR_TLS', failures.tls],
  ['ERR_SSL', failures.tls],
  ['EPROTO', failures.tls],
  ['CERT_', failures.tls],
  ['DEPTH_ZERO', failures.tls],
  ['SELF_SIGNED', failures.tls],
  ['UNABLE_TO_', failures.tls],
  ['HOSTNAME_MISMATCH', failures.tls],
  ['INVALID_CA', failures.tls],
]

/** What is unknown counts as a broken connection. */
export function toFailure(cause: unknown): Failure {
  if (cause instanceof BlockedAddress) return { reason: 'blocked_address', message: cause.message }
  const known = byClass.find(([kind]) => cause instanceof kind)
  if (known) return known[1]
  const code = String((cause as NodeJS.ErrnoException | undefined)?.code ?? '')
  const byCodeStart = byCode.find(([start]) => code.startsWith(start))?.[1]
  // Not all errors of undici's parser carry a code.
  return byCodeStart ?? (cause instanceof errors.HTTPParserError ? failures.parse : failures.connection)
}
