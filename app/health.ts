// The servers that a process depends on. While one is unavailable, or refuses the credentials, the process waits for it, at its start
// as later, and a log line names the variables to check (manual/production.md "When a server is away").
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { withoutPassword } from '../services/config/variable.ts'
import type { Config } from '../services/config.ts'
import { AccessRefused, type Backend, isAway } from '../services/errors.ts'
import { doubling, retry } from '../services/retry.ts'
import type { Ping } from '../services/server/health.ts'

export interface Server {
  backend: Backend
  name: string
  /** The variables that say where it is, its address first, and their values, which may hold a password. */
  settings: [variable: string, value: string][]
}

/** Null where the embedded driver is in use. */
export interface Servers {
  store: Server | null
  index: Server | null
  runs: Server | null
}

export function toServers({ mongodb, weaviate, temporal }: Config): Servers {
  return {
    store: mongodb
      ? { backend: 'store', name: 'MongoDB', settings: [['LECTERN_MONGODB_URL', mongodb]] }
      : null,
    index: weaviate && {
      backend: 'index',
      name: 'Weaviate',
      settings: [
        ['LECTERN_WEAVIATE_URL', weaviate.url],
        ['LECTERN_WEAVIATE_GRPC', weaviate.grpc],
      ],
    },
    runs: temporal && {
      backend: 'runs',
      name: 'Temporal',
      settings: [
        ['LECTERN_TEMPORAL_ADDRESS', temporal.address],
        ['LECTERN_TEMPORAL_NAMESPACE', temporal.namespace],
      ],
    },
  }
}

/** The health checks of a process that has opened nothing yet. */
export function createChecks(): Record<keyof Servers, Ping> {
  const notYet = () => Promise.reject(new Error('it has not been opened yet'))
  return { store: notYet, index: notYet, runs: notYet }
}

export interface Availability {
  /**
   * Calls `open` until the server answers and lets us in; once where there is no server. Rejects with any other error, and never
   * settles once the process stops.
   */
  retryUntilAvailable<Opened>(server: Server | null, open: () => Promise<Opened>): Promise<Opened>
  /** Pings the server from now on, and logs when it goes and when it is back. */
  watch(server: Server | null, ping: Ping): void
}

/** Milliseconds between two attempts. */
const firstPause = 250
const maxPause = 5_000
/** The line is repeated after so many milliseconds. */
const repeatIntervalMs = 60_000
const watchIntervalMs = 5_000

/** `signal`: the process stops. */
export function createAvailability(log: Logger, signal: AbortSignal): Availability {
  async function retryUntilAvailable<Opened>(
    server: Server | null,
    open: () => Promise<Opened>,
  ): Promise<Opened> {
    if (server === null) return open()
    const status = createStatusLog(server, log)
    function onFailure(error: unknown) {
      if (!isAway(error) && !isRefusal(error)) throw error
      status.failed(error)
    }
    try {
      const opened = await retry(open, doubling(firstPause, maxPause), { onFailure, signal })
      status.answered()
      return opened
    } catch (error) {
      if (!signal.aborted) throw error
      return new Promise(() => {})
    }
  }

  async function watch(server: Server, ping: Ping) {
    const status = createStatusLog(server, log)
    while (!signal.aborted) {
      await ping().then(status.answered, status.failed)
      await delay(watchIntervalMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  return { retryUntilAvailable, watch: (server, ping) => void (server && watch(server, ping)) }
}

/** Logs a change at once, and an outage again once a minute. */
function createStatusLog(server: Server, log: Logger) {
  let failedSince: number | null = null
  let loggedAt = 0

  return {
    answered() {
      if (failedSince === null) return
      const seconds = Math.round((Date.now() - failedSince) / 1000)
      failedSince = null
      log.info(`${server.name} answers again after ${seconds} s`)
    },
    failed(error: unknown) {
      const now = Date.now()
      if (failedSince !== null && now - loggedAt < repeatIntervalMs) return
      failedSince ??= now
      loggedAt = now
      log.warn(isRefusal(error) ? toRefusalLine(server) : toOutageLine(server, error))
    },
  }
}

function toOutageLine({ name, settings }: Server, error: unknown): string {
  const values = settings.map(([variable, value]) => `${variable} is ${withoutPassword(value)}`)
  const cause = (error as Error).cause ?? error
  const reason = withoutPassword(String((cause as Error)?.message ?? cause)).split('\n')[0]
  return `${name} is away: ${values.join(', ')}. It is tried again until it answers. (${reason})`
}

function toRefusalLine({ name, settings }: Server): string {
  const [variable, address] = settings[0]!
  return `${variable}: ${name} at ${withoutPassword(address)} refuses the user, password or key that is set.`
}

function isRefusal(error: unknown): boolean {
  return error instanceof AccessRefused || (error instanceof Error && error.cause instanceof AccessRefused)
}
