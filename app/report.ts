// How errors that no caller waits for are told: as log lines.
import type { Logger } from 'pino'
import { isAway } from '../services/errors.ts'

/** `what` went wrong, such as `a turn went wrong`. */
export function createReport(log: Logger, what: string): (error: unknown) => void {
  // That a server is away has a line of its own: availability.ts.
  return (error) => log[isAway(error) ? 'debug' : 'error']({ err: error }, what)
}
