// Log lines of background work: errors, and runs that start and end.
import type { Logger } from 'pino'
import { isAway } from '../services/errors.ts'
import type { TellRun } from '../services/sync/watch-runs.ts'
import type { ProcessMetrics } from './process-metrics.ts'

/** `what` went wrong, such as `a turn went wrong`. */
export function createReport(log: Logger, what: string): (error: unknown) => void {
  // That a server is away has a line of its own: availability.ts.
  return (error) => log[isAway(error) ? 'debug' : 'error']({ err: error }, what)
}

/** Logs each run when it starts and when it ends, and counts those that ended. */
export function createRunReport(log: Logger, metrics: Pick<ProcessMetrics, 'runEnded'>): TellRun {
  return (news) => {
    const { project, uuid, trigger, status, error, seconds, pages } = news
    const run = { project, run: uuid, trigger }
    if (status === 'running') return log.info(run, 'sync started')
    metrics.runEnded(news)
    const level = status === 'failed' ? 'warn' : 'info'
    log[level]({ ...run, seconds, pages, ...(error && { reason: error }) }, `sync ${status}`)
  }
}
