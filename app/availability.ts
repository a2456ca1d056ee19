// Servers that are away, or refuse what they are shown: a line in the log names the variables and what they are set to, and the
// process waits, at its start as later (manual/production.md "When a server is away").
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { withoutPassword } from '../services/config/variable.ts'
import { AccessRefused, isAway } from '../services/errors.ts'
import { doubling, retry } from '../services/retry.ts'
import type { Ping } from '../services/server/health.ts'
import type { Server } from './servers.ts'

export interface Availability {
  /**
   * Does what needs the server as soon as that answers and lets us in; at once without a server. Rejects with whatever
   * else stands in the way, and never settles once the process stops.
   */
  retryUntilAvailable<Opened>(server: Server | null, open: () => Promise<Opened>): Promise<Opened>
  /** Looks after the server from now on: logs when it goes and when it is back. */
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
    const tell = createAvailabilityLog(server, log)
    function onFailure(error: unknown) {
      if (!isAway(error) && !isRefusal(error)) throw error
      tell.isAway(error)
    }
    try {
      const opened = await retry(open, doubling(firstPause, maxPause), { onFailure, signal })
      tell.answers()
      return opened
    } catch (error) {
      if (!signal.aborted) throw error
      return new Promise(() => {})
    }
  }

  async function watch(server: Server | null, ping: Ping) {
    if (server === null) return
    const tell = createAvailabilityLog(server, log)
    while (!signal.aborted) {
      await ping().then(tell.answers, tell.isAway)
      await pause(watchIntervalMs)
    }
  }

  const pause = (milliseconds: number) =>
    delay(milliseconds, undefined, { signal, ref: false }).catch(() => {})
  return { retryUntilAvailable, watch: (server, ping) => void watch(server, ping) }
}

/** Says what is new, and what is not once a minute. */
function createAvailabilityLog(server: Server, log: Logger) {
  let awaySince: number | null = null
  let toldAt = 0

  return {
    answers() {
      if (awaySince === null) return
      const seconds = Math.round((Date.now() - awaySince) / 1000)
      awaySince = null
      log.info(`${server.name} answers again after ${seconds} s`)
    },
    isAway(error: unknown) {
      const now = Date.now()
      if (awaySince !== null && now - toldAt < repeatIntervalMs) return
      awaySince ??= now
      toldAt = now
      log.warn(isRefusal(error) ? refusedSentence(server) : `${awaySentence(server)} ${reasonOf(error)}`)
    },
  }
}

function awaySentence({ name, settings }: Server): string {
  const places = settings.map(([variable, value]) => `${variable} is ${withoutPassword(value)}`)
  return `${name} is away: ${places.join(', ')}. It is tried again until it answers.`
}

function refusedSentence({ name, settings }: Server): string {
  const [variable, address] = settings[0]!
  return `${variable}: ${name} at ${withoutPassword(address)} refuses the user, password or key that is set.`
}

/** What the driver said, for the log alone. */
function reasonOf(error: unknown): string {
  const cause = (error as Error).cause ?? error
  return `(${withoutPassword(String((cause as Error)?.message ?? cause)).split('\n')[0]})`
}

function isRefusal(error: unknown): boolean {
  return error instanceof AccessRefused || (error instanceof Error && error.cause instanceof AccessRefused)
}
