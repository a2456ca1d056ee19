// Reads one page over HTTP: politeness, redirects, retries, and what the answer means. A call reads from a service (Git, an
// API) with a method, headers and a body, and without robots.txt, which is for pages.
import { LRUCache } from 'lru-cache'
import { Agent } from 'undici'
import type { AllowList } from './address.ts'
import { createDial, type ServiceAddress } from './dial.ts'
import {
  type Answer,
  acceptedCodings,
  BrokenExchange,
  decodeContent,
  type Exchange,
  exchange,
} from './exchange.ts'
import {
  type FailReason,
  type FetchResult,
  failed,
  isDocument,
  readHeader,
  readRetryDelay,
  toFailure,
  toResult,
} from './fetch-result.ts'
import { createNames, type Lookup } from './names.ts'
import { type Clock, createPoliteness, systemClock } from './politeness.ts'

export type { FetchResult, PageHeaders } from './fetch-result.ts'

export interface FetchOptions {
  etag?: string | null
  lastModified?: string | null
  signal?: AbortSignal
  /** `document` (default) passes over what is no text document; `any` reads every type. */
  accept?: 'document' | 'any'
  /** Asked about the target of each redirect, normalised; left out, all are followed. */
  mayVisit?: (url: string) => boolean
  maxBytes?: number
  maxRedirects?: number
}

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

type CallResult =
  /** Any status. `url`: where the answer came from in the end. */
  | { kind: 'answer'; status: number; headers: Answer['headers']; body: Uint8Array; url: string }
  | { kind: 'failed'; reason: FailReason; message: string }

export interface Fetcher {
  /** Rejects only with the signal's reason, as soon as it aborts. */
  fetchPage(url: string, options?: FetchOptions): Promise<FetchResult>
  /** Rejects only with the signal's reason. A request with a body is not redirected: its answer is the redirect's. */
  call(url: string, options?: CallOptions): Promise<CallResult>
  /** At least so many milliseconds between two requests to the address's host from now on. */
  pace(url: string, delayMs: number): void
  /**
   * The same fetcher with separate connections and lookups for a project: a name server that does not answer delays
   * this project alone. Closed with the first.
   */
  forProject(project: string): Fetcher
  close(): Promise<void>
}

export interface FetcherOptions {
  allow: AllowList
  userAgent?: string
  /** Of a body, decoded. */
  maxBytes?: number
  /** For a request and its answer, connecting included; waits for politeness come before. */
  timeoutMs?: number
  maxConnectionsPerHost?: number
  /** Replaces the resolution of names.ts. */
  lookup?: Lookup
  /** See createNames. */
  nameServers?: string[]
  /** See createDial. */
  services?: ServiceAddress[]
  clock?: Clock
  /** Certificates to trust beside the system's, PEM. */
  ca?: string
}

const defaults = {
  userAgent: 'Lectern/0.1 (+documentation search; robots.txt token: lectern)',
  maxBytes: 20 * 1024 * 1024,
  timeoutMs: 30_000,
  maxConnectionsPerHost: 8,
}
const accept = 'text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9,*/*;q=0.1'
const maxPageRedirects = 10
const maxCallRedirects = 5
/** Requests for one page while its host asks to come back later, or drops a kept connection. */
const maxTries = 3
const connectTimeoutMs = 10_000
/** Projects with open connections; more close the connections of the least recently used project. */
const maxProjects = 100

type Request = Omit<Exchange, 'timeoutMs'> & { timeoutMs?: number | undefined }

export function createFetcher(options: FetcherOptions): Fetcher {
  const { allow, lookup, nameServers, services = [], ca, clock = systemClock } = options
  const settings = { ...defaults, ...options }
  const { timeoutMs, maxConnectionsPerHost } = settings
  const dialTimeoutMs = Math.min(connectTimeoutMs, timeoutMs)
  const names = createNames({ servers: nameServers, timeoutMs: dialTimeoutMs, clock })
  const agents = new LRUCache<string, Agent>({ max: maxProjects, dispose: (agent) => agent.close() })
  const politeness = createPoliteness(maxConnectionsPerHost, clock)
  const ownHeaders = { 'user-agent': settings.userAgent, 'accept-encoding': acceptedCodings }

  function getAgent(project: string): Agent {
    const known = agents.get(project)
    if (known) return known
    const connect = createDial({
      ...{ allow, services, timeoutMs: dialTimeoutMs },
      lookup: lookup ?? names.lookupFor(project),
      lookupService: lookup ?? names.lookupFor(''),
      ...(ca ? { ca } : {}),
    })
    const agent = new Agent({ connect, connections: maxConnectionsPerHost, pipelining: 1, allowH2: false })
    agents.set(project, agent)
    return agent
  }

  /** One request when the host may be asked, retried while it answers with Retry-After. The body is not decoded. */
  async function send(project: string, request: Request): Promise<Answer> {
    const { url, signal } = request
    for (let tries = 1; ; tries++) {
      await politeness.enter(url.host, signal)
      let retryAfterMs: number | null = null
      try {
        const answer = await exchange(getAgent(project), {
          ...request,
          timeoutMs: request.timeoutMs ?? timeoutMs,
        })
        retryAfterMs = readRetryDelay(answer)
        if (retryAfterMs === null || tries === maxTries) return answer
      } catch (error) {
        if (tries === maxTries || !isDropped(error)) throw error
      } finally {
        if (retryAfterMs !== null) politeness.pause(url.host, retryAfterMs)
        politeness.leave(url.host)
      }
    }
  }

  async function fetchPage(project: string, first: string, given: FetchOptions = {}): Promise<FetchResult> {
    const from: string[] = []
    let url = first
    for (;;) {
      const result = await fetchOnce(project, url, from, given)
      if (result.kind !== 'redirect') return result
      from.push(url)
      if (from.includes(result.to) || from.length > (given.maxRedirects ?? maxPageRedirects)) {
        return failed('connection', 'Its redirects lead round in a circle or do not end.', true)
      }
      if (given.mayVisit && !given.mayVisit(result.to)) return result
      url = result.to
    }
  }

  async function fetchOnce(
    project: string,
    url: string,
    from: string[],
    { etag, lastModified, signal, accept: wanted, maxBytes = settings.maxBytes }: FetchOptions,
  ): Promise<FetchResult> {
    const parsed = URL.parse(url)
    if (parsed === null) return failed('parse', 'The address cannot be read.', false)
    const takesAnyType = wanted === 'any'
    const headers = {
      ...ownHeaders,
      accept,
      ...(etag && { 'if-none-match': etag }),
      ...(lastModified && { 'if-modified-since': lastModified }),
    }
    const wantsBody = (status: number, received: Answer['headers']) =>
      status >= 200 && status < 300 && (takesAnyType || isDocument(received))
    let answered = false
    try {
      const answer = await send(project, { url: parsed, headers, maxBytes, signal, wantsBody })
      answered = true
      const result = toResult(answer, url, from, {
        isConditional: Boolean(etag || lastModified),
        takesAnyType,
      })
      return result.kind === 'page' ? { ...result, body: await decodeBody(answer, maxBytes) } : result
    } catch (error) {
      signal?.throwIfAborted()
      const isBroken = error instanceof BrokenExchange
      const { reason, message } = toFailure(isBroken ? error.cause : error)
      if (answered && reason === 'connection')
        return failed('parse', 'Its content is not encoded as it says.', true)
      return failed(reason, message, answered || (isBroken && error.answered))
    }
  }

  async function call(project: string, first: string, given: CallOptions = {}): Promise<CallResult> {
    const { method, body, signal, timeoutMs: callTimeoutMs, maxBytes = settings.maxBytes } = given
    const start = URL.parse(first)
    if (start === null) return { kind: 'failed', reason: 'parse', message: 'The address cannot be read.' }
    let url = start
    try {
      for (let redirects = 0; ; redirects++) {
        const answer = await send(project, {
          ...{ url, maxBytes, signal, timeoutMs: callTimeoutMs, wantsBody: () => true },
          ...(method && { method }),
          ...(body && { body }),
          headers: {
            ...ownHeaders,
            ...given.headers,
            ...(url.origin === start.origin && given.secretHeaders),
          },
        })
        const { status, headers } = answer
        const isRedirect = status >= 300 && status < 400 && body === undefined
        const to = isRedirect ? URL.parse(readHeader(answer, 'location') ?? '', url.href) : null
        if (to === null)
          return { kind: 'answer', status, headers, body: await decodeBody(answer, maxBytes), url: url.href }
        if (redirects === maxCallRedirects || !/^https?:$/.test(to.protocol)) {
          const message = 'Its redirects do not end, or lead to no web address.'
          return { kind: 'failed', reason: 'connection', message }
        }
        url = to
      }
    } catch (error) {
      signal?.throwIfAborted()
      const { reason, message } = toFailure(error instanceof BrokenExchange ? error.cause : error)
      return { kind: 'failed', reason, message }
    }
  }

  const forProject = (project: string): Fetcher => ({
    fetchPage: (url, given) => fetchPage(project, url, given),
    call: (url, given) => call(project, url, given),
    pace: (url, delayMs) => politeness.pace(new URL(url).host, delayMs),
    forProject,
    async close() {
      names.close()
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  })
  return forProject('')
}

function decodeBody(answer: Answer, maxBytes: number): Promise<Uint8Array> {
  return decodeContent(answer.body, readHeader(answer, 'content-encoding'), maxBytes)
}

/** A kept connection that the server closed just then: the request never was read. */
function isDropped(error: unknown): boolean {
  if (!(error instanceof BrokenExchange) || error.answered) return false
  const { code } = error.cause as NodeJS.ErrnoException
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}
