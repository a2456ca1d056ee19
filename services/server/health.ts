// grpc.health.v1: the core as a whole (``), its services by name, and each backend by name (`store`, `index`, `runs`).
import { setTimeout } from 'node:timers/promises'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import {
  type Health,
  HealthCheckResponse_ServingStatus as Status,
} from '../../gen/grpc/health/v1/health_pb.js'

/** Resolves when the backend answers; rejects otherwise. */
export type Ping = () => Promise<void>

const pingTimeoutMs = 2_000
const watchEveryMs = 2_000

/** `services`: full names of the services that need every backend. */
export function createHealth(backends: Record<string, Ping>, services: string[]): ServiceImpl<typeof Health> {
  const whole = new Set(['', ...services])

  async function statusOf(name: string): Promise<Status> {
    if (whole.has(name)) {
      const away = await awayOf(backends)
      return away.length === 0 ? Status.SERVING : Status.NOT_SERVING
    }
    const ping = Object.hasOwn(backends, name) ? backends[name] : undefined
    if (!ping) return Status.SERVICE_UNKNOWN
    return (await answersPing(ping)) ? Status.SERVING : Status.NOT_SERVING
  }

  return {
    async check({ service }) {
      const status = await statusOf(service)
      if (status === Status.SERVICE_UNKNOWN) throw new ConnectError('unknown service', Code.NotFound)
      return { status }
    },

    async *watch({ service }, { signal }) {
      let last: Status | null = null
      while (!signal.aborted) {
        const status = await statusOf(service)
        if (status !== last) yield { status }
        last = status
        await setTimeout(watchEveryMs, null, { signal, ref: false })
      }
    },

    async list() {
      const away = await awayOf(backends)
      const names = [...whole, ...Object.keys(backends)]
      const isServing = (name: string) => (whole.has(name) ? away.length === 0 : !away.includes(name))
      const toStatus = (name: string) => ({ status: isServing(name) ? Status.SERVING : Status.NOT_SERVING })
      return { statuses: Object.fromEntries(names.map((name) => [name, toStatus(name)])) }
    },
  }
}

/** Names of the backends that do not answer, or not within two seconds. */
export async function awayOf(backends: Record<string, Ping>): Promise<string[]> {
  const names = Object.keys(backends)
  const answers = await Promise.all(names.map((name) => answersPing(backends[name]!)))
  return names.filter((_, at) => !answers[at])
}

async function answersPing(ping: Ping): Promise<boolean> {
  const late = new AbortController()
  const timeout = setTimeout(pingTimeoutMs, false, { signal: late.signal, ref: false }).catch(() => false)
  const answer = await Promise.race([
    ping().then(
      () => true,
      () => false,
    ),
    timeout,
  ])
  late.abort()
  return answer
}
