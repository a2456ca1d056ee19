// grpc.health.v1: the health of the whole core (``), of its services by name, and of each backend by name (`store`, `index`,
// `runs`, and `model` if there is a language model, on which the whole does not depend).
import { setTimeout } from 'node:timers/promises'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import pTimeout from 'p-timeout'
import {
  type Health,
  HealthCheckResponse_ServingStatus as Status,
} from '../../gen/grpc/health/v1/health_pb.js'

/** Resolves if the backend responds. Rejects otherwise. */
export type Ping = () => Promise<void>

const pingTimeoutMs = 2_000
const watchEveryMs = 2_000
/** Milliseconds for which results are cached. */
const cacheMs = 2_000
const maxWatchers = 100

/** Backends that Lectern can serve without: answers quote sections while the language model is unavailable. */
const optional: ReadonlySet<string> = new Set(['model'])

/** Whether Lectern can serve without these backends. */
function isServing(away: string[]): boolean {
  return away.every((name) => optional.has(name))
}

/**
 * Creates a function that returns the names of the backends that do not respond within two seconds. Caches the result for two
 * seconds. `now`: milliseconds.
 */
export function createBackendCheck(
  backends: Record<string, Ping>,
  now: () => number = () => performance.now(),
): () => Promise<string[]> {
  let checkedAt = Number.NEGATIVE_INFINITY
  let answer = Promise.resolve<string[]>([])

  async function pingAll(): Promise<string[]> {
    const pings = Object.entries(backends).map(async ([name, ping]) => {
      try {
        await pTimeout(ping(), { milliseconds: pingTimeoutMs })
        return []
      } catch {
        return [name]
      }
    })
    return (await Promise.all(pings)).flat()
  }

  return () => {
    if (now() - checkedAt >= cacheMs) {
      checkedAt = now()
      answer = pingAll()
    }
    return answer
  }
}

/** `services`: full names of the services, which need all backends. */
export function createHealth(
  backends: Record<string, Ping>,
  check: () => Promise<string[]>,
  services: string[],
): ServiceImpl<typeof Health> {
  const overall = new Set(['', ...services])
  let watchers = 0

  async function readStatus(name: string): Promise<Status> {
    if (!overall.has(name) && !Object.hasOwn(backends, name)) return Status.SERVICE_UNKNOWN
    return toStatus(name, await check())
  }

  function toStatus(name: string, away: string[]): Status {
    const isUp = overall.has(name) ? isServing(away) : !away.includes(name)
    return isUp ? Status.SERVING : Status.NOT_SERVING
  }

  return {
    async check({ service }) {
      const status = await readStatus(service)
      if (status === Status.SERVICE_UNKNOWN) throw new ConnectError('unknown service', Code.NotFound)
      return { status }
    },

    async *watch({ service }, { signal }) {
      if (watchers >= maxWatchers) {
        throw new ConnectError('too many clients watch the health', Code.ResourceExhausted)
      }
      watchers += 1
      try {
        let last: Status | null = null
        while (!signal.aborted) {
          const status = await readStatus(service)
          if (status !== last) yield { status }
          last = status
          await setTimeout(watchEveryMs, null, { signal, ref: false })
        }
      } finally {
        watchers -= 1
      }
    },

    async list() {
      const away = await check()
      const names = [...overall, ...Object.keys(backends)]
      const statuses = names.map((name) => [name, { status: toStatus(name, away) }])
      return { statuses: Object.fromEntries(statuses) }
    },
  }
}
