// The result of a request: a document, or the reason why there is none.
import { errors } from 'undici'
import { normalizeUrl } from './url.ts'

export interface HttpResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Decoded. Empty if it was not wanted. */
  body: Uint8Array
}

/** Joins repeated headers into one list. */
export function readHeader({ headers }: Pick<HttpResponse, 'headers'>, name: string): string | null {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
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

export interface Failed {
  kind: 'failed'
  reason: FailReason
  /** A sentence for the event log. */
  message: string
  /** Whether the server began to respond. `status`: set if the status is the failure. */
  answered: boolean
  status?: number
}

/** Identify the state of a document. While they are equal, it is not read again. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

/** The result of reading a document of any source. `status`: of the HTTP response, if there is one. */
export type Reading = { status?: number } & (
  | ({
      kind: 'document'
      body: Uint8Array
      contentType: string | null
      /** The value of the header X-Robots-Tag. */
      robotsTag?: string | null
      /** The value of the header Content-Language. */
      language?: string | null
      /** Replaces the document's own title. */
      title?: string | null
    } & Validators)
  /** The known validators still match. */
  | { kind: 'unchanged' }
  | { kind: 'gone'; message: string }
  | { kind: 'redirect'; to: string }
  /** `answered`: whether a request was sent. */
  | { kind: 'skipped'; reason: 'robots' | 'no_content' | 'excluded'; message: string; answered: boolean }
  | Failed
)

const documentTypes = new Set([
  'text/html',
  'application/xhtml+xml',
  'text/plain',
  'text/markdown',
  'text/x-markdown',
])

/** `url`: address of the response. */
export function toReading(
  answer: HttpResponse,
  url: string,
  given: { isConditional: boolean; isFile: boolean },
): Reading {
  const { status, body } = answer
  const message = `The server answered ${status}.`
  if (status === 304 && given.isConditional) return { kind: 'unchanged' }
  if (status === 404 || status === 410) return { kind: 'gone', status, message }
  if (status >= 400) return { ...failed(status >= 500 ? 'http_5xx' : 'http_4xx', message, true), status }
  if (status >= 300) {
    const location = readHeader(answer, 'location')
    const to = location === null ? null : normalizeUrl(location, url)
    if (to === null) return failed('parse', 'It redirects to an invalid address.', true)
    return to === url ? failed('connection', endlessRedirects, true) : { kind: 'redirect', status, to }
  }
  const isEmpty = status === 204 || status === 205
  if (isEmpty || (!given.isFile && !isDocument(answer.headers)))
    return {
      kind: 'skipped',
      status,
      reason: 'no_content',
      message: 'It is not a text document.',
      answered: true,
    }
  const read = (header: string) => readHeader(answer, header)
  return {
    ...{ kind: 'document', status, body, contentType: read('content-type') },
    ...{ robotsTag: read('x-robots-tag'), language: read('content-language') },
    ...{ etag: read('etag'), lastModified: read('last-modified') },
  }
}

/** Whether the response is a text document. True without a content type: extraction decides. */
export function isDocument(headers: HttpResponse['headers']): boolean {
  const type = readHeader({ headers }, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  return !type || documentTypes.has(type)
}

export const endlessRedirects = 'Its redirects loop, are too many, or lead to an address other than http(s).'

export function failed(reason: FailReason, message: string, answered: boolean): Failed {
  return { kind: 'failed', reason, message, answered }
}

const sentences: Partial<Record<FailReason, string>> = {
  timeout: 'The server took too long.',
  too_large: 'The answer is larger than may be read.',
  parse: 'The answer is not valid HTTP, or its content is not encoded as it says.',
  dns: 'The name of the host could not be resolved.',
  tls: 'No secure connection could be made: the certificate or the protocol is not accepted.',
  connection: 'The connection was refused or broke off.',
}

/** Why a request failed. `cause`: the error of Node or undici. */
export class FetchFault extends Error {
  readonly reason: FailReason
  /** Whether the server had begun to respond. */
  answered = false

  constructor(reason: FailReason, message = sentences[reason], cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** Reasons by the prefix of the error code of Node or undici. */
const codes: [FailReason, RegExp][] = [
  ['timeout', /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)/],
  ['too_large', /^(?:UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)/],
  ['parse', /^(?:HPE_|UND_ERR_INVALID_ARG)/],
  ['dns', /^(?:ENOTFOUND|EAI_)/],
  ['tls', /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/],
]

/** An unknown error counts as a broken connection. */
export function toFault(cause: unknown): FetchFault {
  if (cause instanceof FetchFault) return cause
  const code = readCode(cause)
  // Some errors of undici's parser have no code.
  const isMalformed = cause instanceof errors.HTTPParserError
  const known = codes.find(([reason, form]) => form.test(code) || (isMalformed && reason === 'parse'))
  return new FetchFault(known?.[0] ?? 'connection', undefined, cause)
}

const readCode = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code ?? '')

/** Whether the server closed a kept-alive connection before it read the request. */
export const isDropped = (error: unknown): boolean =>
  error instanceof FetchFault &&
  !error.answered &&
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(readCode(error.cause))
