// Reads one page over HTTP: politeness, redirects, retries, and interpretation of the response. `call` sends a request to a
// service (Git, an API) with a method, headers and a body. robots.txt does not apply to services.
import { LRUCache } from 'lru-cache'
import { Agent } from 'undici'
import type { AllowList } from './address.ts'
import { createDial, type ServiceAddress } from './dial.ts'
import { acceptedCodings, type Exchange, exchange } from './exchange.ts'
import {
  endlessRedirects,
  type Failed,
  failed,
  type HttpResponse,
  isDocument,
  isDropped,
  type Reading,
  readHeader,
  toFault,
  toReading,
  type Validators,
} from './fetch-result.ts'
import { createNames, type Lookup } from './names.ts'
import { type Clock, createPoliteness, type Pacing, readRetryAfter, systemClock } from './politeness.ts'

interface RequestOptions {
  /** Only sent to the origin of the address: a redirect to another origin drops them. Names in lower case. */
  secretHeaders?: Record<string, string> | undefined
  /** Maximum bytes of the decoded response body. */
  maxBytes?: number
  signal?: AbortSignal
}

export interface FetchOptions extends RequestOptions, Partial<Validators> {
  /**
   * `page` (default): skips everything except text documents, and returns redirects as results. `file`: reads every type, and
   * follows redirects.
   */
  as?: 'page' | 'file'
  pacing?: Pacing
}

interface CallOptions extends RequestOptions {
  method?: 'GET' | 'POST'
  /** Names in lower case. */
  headers?: Record<string, string>
  body?: Uint8Array
  timeoutMs?: number
}

/** A response with any status. `url`: its final address. */
type FinalResponse = HttpResponse & { kind: 'answer'; url: string }

export interface Fetcher {
  /** Rejects only with the signal's reason, as soon as it aborts. */
  fetchPage(url: string, options?: FetchOptions): Promise<Reading>
  /** Rejects only with the signal's reason. Returns a redirect as the response if the request has a body. */
  call(url: string, options?: CallOptions): Promise<FinalResponse | Failed>
  /** Sets the minimum milliseconds between two requests to the address's host. */
  pace(url: string, delayMs: number): void
  /**
   * A fetcher with separate connections and lookups for a project: a name server that does not answer delays only this
   * project. Closed together with this fetcher.
   */
  forProject(project: string): Fetcher
  close(): Promise<void>
}

export interface FetcherOptions {
  allow: AllowList
  userAgent?: string
  /** Maximum bytes of a decoded body. */
  maxBytes?: number
  /** Timeout of one exchange, including connecting, without waits for politeness. */
  timeoutMs?: number
  maxConnectionsPerHost?: number
  /** Replaces the resolution of names.ts. */
  lookup?: Lookup
  /** See createNames. */
  nameServers?: string[]
  /** See createDial. */
  services?: ServiceAddress[]
  clock?: Clock
  /** Trusted certificates in addition to the system's, as PEM. */
  ca?: string
}

const defaults = {
  userAgent: 'Lectern/0.1 (+documentation search; robots.txt token: lectern)',
  maxBytes: 20 * 1024 * 1024,
  timeoutMs: 30_000,
  maxConnectionsPerHost: 8,
}
const accept = 'text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9,*/*;q=0.1'
const maxRedirects = 10
/** Maximum requests for one page if its host responds with Retry-After or drops a kept-alive connection. */
const maxTries = 3
const connectTimeoutMs = 10_000
/** Maximum projects with open connections. Above it, those of the least recently used project are closed. */
const maxProjects = 100

type Request = CallOptions & Pick<FetchOptions, 'pacing'> & Pick<Exchange, 'wantsBody'> & { follows: boolean }

export function createFetcher(options: FetcherOptions): Fetcher {
  const { allow, lookup, nameServers, services = [], ca, clock = systemClock } = options
  const settings = { ...defaults, ...options }
  const { timeoutMs, maxBytes, maxConnectionsPerHost } = settings
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

  /** Sends one request when politeness allows it, and retries it after Retry-After. */
  async function send(project: string, request: Exchange, pacing?: Pacing): Promise<HttpResponse> {
    const { url, signal } = request
    for (let tries = 1; ; tries++) {
      await politeness.enter(url.host, signal, pacing)
      let retryAfterMs: number | null = null
      try {
        const answer = await exchange(getAgent(project), request)
        const isBusy = answer.status === 429 || answer.status === 503
        retryAfterMs = isBusy ? readRetryAfter(readHeader(answer, 'retry-after'), Date.now()) : null
        if (retryAfterMs === null || tries === maxTries) return answer
      } catch (error) {
        if (tries === maxTries || !isDropped(error)) throw error
      } finally {
        if (retryAfterMs !== null) politeness.pause(url.host, retryAfterMs)
        politeness.leave(url.host)
      }
    }
  }

  /** Sends a request, and follows redirects if `follows` is set. Rejects only with the signal's reason. */
  async function request(project: string, first: string, given: Request): Promise<FinalResponse | Failed> {
    const { secretHeaders, pacing, follows, ...rest } = given
    const start = URL.parse(first)
    if (start === null) return failed('parse', 'The address cannot be read.', false)
    const visited = new Set<string>()
    try {
      for (let url = start; ; ) {
        visited.add(url.href)
        const secrets = url.origin === start.origin ? secretHeaders : {}
        const headers = { ...ownHeaders, ...given.headers, ...secrets }
        const answer = await send(project, { timeoutMs, maxBytes, ...rest, url, headers }, pacing)
        const isRedirect = follows && answer.status >= 300 && answer.status < 400
        const to = isRedirect ? URL.parse(readHeader(answer, 'location') ?? '', url.href) : null
        if (to === null) return { kind: 'answer', ...answer, url: url.href }
        if (visited.has(to.href) || visited.size > maxRedirects || !/^https?:$/.test(to.protocol))
          return failed('connection', endlessRedirects, true)
        url = to
      }
    } catch (error) {
      given.signal?.throwIfAborted()
      const { reason, message, answered } = toFault(error)
      return failed(reason, message, answered)
    }
  }

  const forProject = (project: string): Fetcher => ({
    async fetchPage(url, { etag, lastModified, as, ...given } = {}) {
      const isFile = as === 'file'
      const answer = await request(project, url, {
        ...{ ...given, follows: isFile },
        headers: {
          accept,
          ...(etag && { 'if-none-match': etag }),
          ...(lastModified && { 'if-modified-since': lastModified }),
        },
        wantsBody: (status, headers) => status >= 200 && status < 300 && (isFile || isDocument(headers)),
      })
      if (answer.kind === 'failed') return answer
      return toReading(answer, answer.url, { isConditional: Boolean(etag || lastModified), isFile })
    },
    call: (url, given = {}) =>
      request(project, url, { ...given, follows: given.body === undefined, wantsBody: () => true }),
    pace: (url, delayMs) => politeness.pace(new URL(url).host, delayMs),
    forProject,
    async close() {
      names.close()
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  })
  return forProject('')
}
