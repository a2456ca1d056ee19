// One call of a service that a source is read from (Git, an API): with a method, headers and a body of the caller's, and with no
// robots.txt, which is for pages.
import { decodeContent } from './content-coding.ts'
import { type Answer, BrokenExchange } from './exchange.ts'
import { type FailReason, toFailure } from './fail-reason.ts'
import { headerOf } from './fetch-result.ts'

export interface CallOptions {
  method?: 'GET' | 'POST'
  /** By lower-case name. */
  headers?: Record<string, string>
  /** Sent to the origin of the address alone: a redirect that leaves it goes on without them. */
  secretHeaders?: Record<string, string>
  body?: Uint8Array
  /** Of the answer's body, decoded. */
  maxBytes?: number
  timeoutMs?: number
  signal?: AbortSignal
}

export type CallResult =
  /** Any status. `url`: where the answer came from in the end. */
  | { kind: 'answer'; status: number; headers: Answer['headers']; body: Uint8Array; url: string }
  | { kind: 'failed'; reason: FailReason; message: string }

/** Sends one request, when its host may be asked, and again while it asks to come back later. */
export type Send = (url: URL, headers: string[]) => Promise<Answer>

const maxRedirects = 5

/** Rejects only with the signal's reason. A request with a body is not redirected: its answer is the redirect's. */
export async function call(
  send: Send,
  plainHeaders: string[],
  maxBytes: number,
  first: string,
  given: CallOptions,
): Promise<CallResult> {
  const failed = (reason: FailReason, message: string): CallResult => ({ kind: 'failed', reason, message })
  const start = URL.parse(first)
  if (start === null) return failed('parse', 'The address cannot be read.')
  let url = start
  try {
    for (let redirects = 0; ; redirects++) {
      const own = { ...given.headers, ...(url.origin === start.origin && given.secretHeaders) }
      const answer = await send(url, [...plainHeaders, ...Object.entries(own).flat()])
      const { status, headers } = answer
      const to =
        status >= 300 && status < 400 ? URL.parse(headerOf(answer, 'location') ?? '', url.href) : null
      if (to === null || given.body !== undefined) {
        const body = await decodeContent(answer.body, headerOf(answer, 'content-encoding'), maxBytes)
        return { kind: 'answer', status, headers, body, url: url.href }
      }
      if (redirects === maxRedirects || !/^https?:$/.test(to.protocol)) {
        return failed('connection', 'Its redirects do not end, or lead to no web address.')
      }
      url = to
    }
  } catch (error) {
    given.signal?.throwIfAborted()
    const { reason, message } = toFailure(error instanceof BrokenExchange ? error.cause : error)
    return failed(reason, message)
  }
}
