// How the process ends: in order on a signal, with a line on an error that nothing caught, and never without a word.
import type { Logger } from 'pino'
import type { DataLock } from '../services/data/data-lock.ts'

/** A stop that takes longer is cut short, in milliseconds. */
const stopTimeoutMs = 15_000
/** Milliseconds before a second signal counts: `npm start` forwards the signal that the terminal has already sent. */
const repeatMs = 1_000

const stops = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

interface Shutdown {
  /** The start has failed: the process may end without a word of its own. Never settles while a stop is under way. */
  giveUp(): Promise<void>
}

/**
 * Watches over the process from here on. `close` ends the application in order. What the system gives no chance to say (a
 * kill, a crash of the engine) is told by the next start: see DataLock.
 */
export function handleShutdown(close: () => Promise<void>, lock: DataLock, log: Logger): Shutdown {
  let closing = false
  let stoppedAt = 0

  async function stop(signal: string) {
    if (closing) {
      if (performance.now() - stoppedAt < repeatMs) return
      log.warn(`${signal} again: Lectern ends without waiting for its work`)
      process.exit(1)
    }
    closing = true
    stoppedAt = performance.now()
    log.info(`${signal}: Lectern stops`)
    setTimeout(() => {
      log.error('Lectern could not stop in time and ends as it is')
      process.exit(1)
    }, stopTimeoutMs).unref()
    try {
      await close()
      process.exit(0)
    } catch (error) {
      log.error({ err: error }, 'Lectern could not stop in order and ends as it is')
      process.exit(1)
    }
  }

  for (const signal of stops) process.on(signal, stop)
  process.on('uncaughtException', (error) => {
    closing = true
    log.fatal({ err: error }, 'Lectern ends on an error that nothing caught')
    process.exit(1)
  })
  // Nobody waited for it: what did wait goes on.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a failure that nothing waited for'))
  process.on('exit', (code) => {
    if (!closing) log.fatal({ code }, 'Lectern ends without having been asked to')
    lock.release()
  })
  return {
    async giveUp() {
      if (closing) await new Promise(() => {})
      closing = true
    },
  }
}

/** Whoever reads the output may leave: the work goes on without it. */
export function ignoreBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
