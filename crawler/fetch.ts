// Reads one page over HTTP: politeness, redirects, retries, and what the answer means.
import { LRUCache } from 'lru-cache'
import { Agent } from 'undici'
import type { AllowList } from './address.ts'
import { type CallOptions, type CallResult, call } from './call.ts'
import { acceptedCodings, decodeContent } from './content-coding.ts'
import { createDial } from './dial.ts'
import { type Answer, BrokenExchange, type Exchange, exchange } from './exchange.ts'
import { toFailure } from './fail-reason.ts'
import { type FetchResult, failed, headerOf, isDocument, retryAfterOf, toResult } from './fetch-result.ts'
import { createNames, type Lookup } from './names.ts'
import type { ServiceAddress } from './own-services.ts'
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

export interface Fetcher {
  /** Rejects only with the signal's reason, as soon as it aborts. */
  fetchPage(url: string, options?: FetchOptions): Promise<FetchResult>
  /** A call of a service that is no page: see call.ts. */
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
const maxRedirects = 10
/** Requests for one page while its host asks to come back later, or drops a kept connection. */
const maxTries = 3
const connectTimeoutMs = 10_000
/** Projects with open connections; more close the connections of the least recently used project. */
const maxProjects = 100

export function createFetcher(options: FetcherOptions): Fetcher {
  const { allow, lookup, nameServers, services = [], ca, clock = systemClock } = options
  const settings = { ...defaults, ...options }
  const { timeoutMs, maxConnectionsPerHost } = settings
  const dialTimeoutMs = Math.min(connectTimeoutMs, timeoutMs)
  const names = createNames({ servers: nameServers, timeoutMs: dialTimeoutMs, clock })
  const agents = new LRUCache<string, Agent>({ max: maxProjects, dispose: (agent) => agent.close() })

  function agentFor(project: string): Agent {
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

  const callHeaders = ['user-agent', settings.userAgent, 'accept-encoding', acceptedCodings]
  const politeness = createPoliteness(maxConnectionsPerHost, clock)
  const plainHeaders = [
    ...['user-agent', settings.userAgent],
    ...['accept', 'text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9,*/*;q=0.1'],
    ...['accept-encoding', acceptedCodings],
  ]

  /** One request when the host may be asked, retried while it answers with Retry-After. */
  async function ask(
    project: string,
    request: Omit<Exchange, 'timeoutMs'> & { timeoutMs?: number },
  ): Promise<Answer> {
    const { url, signal } = request
    for (let tries = 1; ; tries++) {
      await politeness.enter(url.host, signal)
      let retryAfterMs: number | null = null
      try {
        const answer = await exchange(agentFor(project), { timeoutMs, ...request })
        retryAfterMs = retryAfterOf(answer)
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
    const maxBytes = given.maxBytes ?? settings.maxBytes
    const from: string[] = []
    let url = first
    for (;;) {
      const result = await readOnce(project, url, from, given, maxBytes)
      if (result.kind !== 'redirect') return result
      from.push(url)
      if (from.includes(result.to) || from.length > (given.maxRedirects ?? maxRedirects)) {
        return failed('connection', 'Its redirects lead round in a circle or do not end.', true)
      }
      if (given.mayVisit && !given.mayVisit(result.to)) return result
      url = result.to
    }
  }

  async function readOnce(
    project: string,
    url: string,
    from: string[],
    given: FetchOptions,
    maxBytes: number,
  ): Promise<FetchResult> {
    const parsed = URL.parse(url)
    if (parsed === null) return failed('parse', 'The address cannot be read.', false)
    let answered = false
    try {
      const wantsBody = (status: number, received: Answer['headers']) =>
        status >= 200 && status < 300 && (given.accept === 'any' || isDocument(received))
      const headers = toHeaders(plainHeaders, given)
      const answer = await ask(project, { url: parsed, headers, maxBytes, signal: given.signal, wantsBody })
      answered = true
      const result = toResult(answer, url, from, {
        isConditional: Boolean(given.etag || given.lastModified),
        takesAnyType: given.accept === 'any',
      })
      if (result.kind !== 'page') return result
      const body = await decodeContent(answer.body, headerOf(answer, 'content-encoding'), maxBytes)
      return { ...result, body }
    } catch (error) {
      given.signal?.throwIfAborted()
      const isBroken = error instanceof BrokenExchange
      const { reason, message } = isBroken ? toFailure(error.cause) : toFailure(error)
      const isDecoding = answered && reason === 'connection'
      return isDecoding
        ? failed('parse', 'Its content is not encoded as it says.', true)
        : failed(reason, message, answered || (isBroken && error.answered))
    }
  }

  const forProject = (project: string): Fetcher => ({
    fetchPage: (url, given) => fetchPage(project, url, given),
    call(url, given = {}) {
      const { method, body, signal, timeoutMs: timeout = timeoutMs, maxBytes = settings.maxBytes } = given
      const request = {
        ...(method && { method }),
        ...(body && { body }),
        maxBytes,
        timeoutMs: timeout,
        signal,
      }
      const send = (to: URL, headers: string[]) =>
        ask(project, { ...request, url: to, headers, wantsBody: () => true })
      return call(send, callHeaders, maxBytes, url, given)
    },
    pace: (url, delayMs) => politeness.pace(new URL(url).host, delayMs),
    forProject,
    async close() {
      names.close()
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  })
  return forProject('')
}

function toHeaders(plain: string[], { etag, lastModified }: FetchOptions): string[] {
  if (!etag && !lastModified) return plain
  const conditions = etag ? ['if-none-match', etag] : []
  if (lastModified) conditions.push('if-modified-since', lastModified)
  return [...plain, ...conditions]
}

/** A kept connection that the server closed just then: the request never was read. */
function isDropped(error: unknown): boolean {
  if (!(error instanceof BrokenExchange) || error.answered) return false
  const { code } = error.cause as NodeJS.ErrnoException
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}
