// What an answer comes to: a page, or why there is none.
import type { Answer } from './exchange.ts'
import type { FailReason } from './fail-reason.ts'
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
  if (status >= 500) return failed('http_5xx', `The server answered ${status}.`, true, retryAfterOf(answer))
  if (status >= 400) return failed('http_4xx', `The server answered ${status}.`, true, retryAfterOf(answer))
  if (status >= 300) return toRedirect(answer, url, from)
  if (status === 204 || status === 205) return { kind: 'skipped', reason: 'no_content' }
  if (!given.takesAnyType && !isDocument(answer.headers)) return { kind: 'skipped', reason: 'no_content' }
  const headers = toPageHeaders(answer)
  return { kind: 'page', url, status, headers, body: answer.body, redirectedFrom: from }
}

function toRedirect(answer: Answer, url: string, from: string[]): FetchResult {
  const location = headerOf(answer, 'location')
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
    contentType: headerOf(answer, 'content-type'),
    etag: headerOf(answer, 'etag'),
    lastModified: headerOf(answer, 'last-modified'),
    xRobotsTag: headerOf(answer, 'x-robots-tag'),
    contentLanguage: headerOf(answer, 'content-language'),
    retryAfter: headerOf(answer, 'retry-after'),
  }
}

/** A header that came several times is one list. */
export function headerOf({ headers }: Pick<Answer, 'headers'>, name: string): string | null {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

/** Without a type it may be one: extraction finds out. */
export function isDocument(headers: Answer['headers']): boolean {
  const type = headerOf({ headers }, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  return !type || documentTypes.has(type)
}

/** How long a 429 or 503 asks to wait; null where it does not say. */
export function retryAfterOf(answer: Answer): number | null {
  if (answer.status !== 429 && answer.status !== 503) return null
  return readRetryAfter(headerOf(answer, 'retry-after'), Date.now())
}
