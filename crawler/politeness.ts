// Limits requests per host: maximum concurrent requests, Crawl-delay of robots.txt, and Retry-After.
import { setTimeout as delay } from 'node:timers/promises'

export interface Clock {
  /** Milliseconds. Only differences are meaningful. */
  now(): number
  /** Resolves after `ms`. Rejects with the signal's reason as soon as it aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

/** Limits of one request, in addition to those of its host. */
export interface Pacing {
  /** The request waits while the host has this many pending requests. */
  maxConnections?: number | undefined
  /** Minimum milliseconds until the next request. */
  delayMs?: number | undefined
}

/** Maximum wait that a site can request. */
export const maxWaitMs = 5 * 60_000

const maxIdleHosts = 1_000

const createHost = () => ({
  busy: 0,
  delayMs: 0,
  /** No request starts before this time. */
  freeAt: 0,
  /** Waiting requests, first come, first served. */
  queue: new Set<{ go(): void; pacing: Pacing }>(),
  isWaiting: false,
})
type Host = ReturnType<typeof createHost>

export function createPoliteness(maxPerHost: number, clock: Clock = systemClock) {
  const hosts = new Map<string, Host>()

  function findHost(name: string): Host {
    const known = hosts.get(name)
    if (known) return known
    if (hosts.size >= maxIdleHosts) forgetIdle()
    const host = createHost()
    hosts.set(name, host)
    return host
  }

  function forgetIdle() {
    for (const [name, host] of hosts) {
      if (host.busy === 0 && host.queue.size === 0 && host.freeAt <= clock.now()) hosts.delete(name)
    }
  }

  /** Starts requests that may start now, and schedules the next call. */
  function admit(host: Host) {
    for (const waiting of host.queue) {
      if (host.busy >= Math.min(maxPerHost, waiting.pacing.maxConnections ?? maxPerHost)) return
      const waitMs = host.freeAt - clock.now()
      if (waitMs > 0) return comeBack(host, waitMs)
      host.queue.delete(waiting)
      take(host, waiting.pacing)
      waiting.go()
    }
  }

  function take(host: Host, { delayMs = 0 }: Pacing) {
    host.busy += 1
    const delay = Math.max(host.delayMs, delayMs)
    if (delay > 0) host.freeAt = clock.now() + delay
  }

  function comeBack(host: Host, waitMs: number) {
    if (host.isWaiting) return
    host.isWaiting = true
    clock.wait(waitMs).then(() => {
      host.isWaiting = false
      admit(host)
    })
  }

  return {
    /**
     * Waits for a slot of the host, first come, first served. Call `leave` once for each slot. Rejects with the signal's
     * reason as soon as it aborts.
     */
    async enter(name: string, signal?: AbortSignal, pacing: Pacing = {}): Promise<void> {
      signal?.throwIfAborted()
      const host = findHost(name)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const go = () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const waiting = { go, pacing }
      const stop = () => {
        host.queue.delete(waiting)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', stop, { once: true })
      host.queue.add(waiting)
      admit(host)
      return promise
    },
    leave(name: string) {
      const host = findHost(name)
      host.busy -= 1
      admit(host)
    },
    /** Sets the minimum time between two requests to the host. 0: none. */
    pace(name: string, delayMs: number) {
      findHost(name).delayMs = Math.min(delayMs, maxWaitMs)
    },
    /** Blocks requests to the host for `ms`. */
    pause(name: string, ms: number) {
      const host = findHost(name)
      host.freeAt = Math.max(host.freeAt, clock.now() + Math.min(ms, maxWaitMs))
    },
  }
}

/** Reads a delay in seconds or an HTTP date (RFC 9110 10.2.3), as milliseconds from `nowMs`. Null if it is invalid. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  if (/^\s*\d+\s*$/.test(header)) return Math.min(Number(header) * 1_000, Number.MAX_SAFE_INTEGER)
  // Date.parse accepts almost any text. HTTP dates start with the day of the week.
  const at = /^\s*[a-z]{3,9},? /i.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

export const systemClock: Clock = {
  now: () => performance.now(),
  async wait(ms, signal) {
    await delay(ms, undefined, { ...(signal && { signal }) }).catch(() => {})
    signal?.throwIfAborted()
  },
}
