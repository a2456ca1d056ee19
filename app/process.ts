// The log of a process, and its end: orderly on a signal, with a log line on an uncaught error.
import { create } from '@bufbuild/protobuf'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { type Logger, type LoggerOptions, pino } from 'pino'
import { withoutControls } from '../cli/print.ts'
import { type LogLine, LogLineSchema } from '../gen/lectern/v1/status_pb.js'
import type { DataLock } from '../services/data/data-folder.ts'
import { isAway } from '../services/errors.ts'
import type { ReportRun } from '../services/sync/watch-runs.ts'
import type { ProcessMetrics } from './health.ts'

interface LogOutput {
  isTTY?: boolean
  write(text: string): unknown
}

/** Logs to standard error: text on a terminal, else JSON lines. Each line is also added to `tail`. */
export function createLog(level: string, output: LogOutput = process.stderr, tail?: LogTail): Logger {
  const options: LoggerOptions = { level, base: null }
  if (tail) options.hooks = { streamWrite: tail.write }
  if (output.isTTY) {
    // Erases the progress line, which is redrawn.
    const write = (line: string) => output.write(`\r\u001b[2K${withoutControls(toHuman(JSON.parse(line)))}\n`)
    return pino(options, { write })
  }
  const isStandardError = output === process.stderr
  return pino(options, isStandardError ? pino.destination({ dest: 2, sync: true }) : output)
}

interface PinoLine {
  level: number
  time: number
  msg?: string
  err?: { message: string; stack?: string }
  [field: string]: unknown
}

/** `17:42:03  warn  The text  route=/healthz`, in local time, with the stack of an error below it. */
function toHuman({ level, time, msg = '', err, ...fields }: PinoLine): string {
  const at = new Date(time).toLocaleTimeString('en-GB')
  const severity = level > pino.levels.values.info! ? [pino.levels.labels[level]] : []
  const line = [at, ...severity, ...toParts(msg, fields)].join('  ')
  return err ? `${line}\n${err.stack ?? err.message}` : line
}

function toParts(msg: string, fields: Record<string, unknown>): string[] {
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`)
  return [msg, ...(rest.length > 0 ? [rest.join(' ')] : [])]
}

/** Counts without those that are zero: `added:2,failed:1`. */
function toText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const counts = Object.entries(value).filter(([, count]) => count !== 0)
  return counts.map(([name, count]) => `${name}:${count}`).join(',')
}

const maxLines = 500
const maxLength = 1_000
/** Keys of Lectern, and passwords in any address. */
const secretForms = [/\blec_\w+/g, /(?<=:\/\/)[^/@\s]+(?=@)/g]
/** A file path. Only used for error messages: in other fields, a path is the route of a request. */
const pathForm = /(?<=^|[\s'"(])(?:file:\/\/)?\/(?:[\w.@+-]+\/)+[\w.@+-]+/g
const hidden = '[hidden]'

export type LogTail = ReturnType<typeof createLogTail>

/** The last lines of the log, for remote operators. Lines contain neither stacks of errors nor `secrets`. */
export function createLogTail(process: string, secrets: string[]) {
  let lines: LogLine[] = []
  const withoutSecrets = (text: string) =>
    [...secrets, ...secretForms].reduce<string>((left, each) => left.replaceAll(each, hidden), text)

  function add(added: LogLine[]) {
    lines = [...lines, ...added].slice(-maxLines)
  }
  return {
    add,
    /** Hides another secret in lines added from now on. */
    hide: (secret: string) => void secrets.push(secret),
    read: () => lines.toSorted((one, other) => timestampMs(one.at!) - timestampMs(other.at!)),
    take: () => lines.splice(0),
    /** Adds a JSON line of pino. Returns it unchanged. */
    write(json: string): string {
      const { level, time, msg = '', err, ...fields } = JSON.parse(json) as PinoLine
      const parts = [...toParts(msg, fields), ...(err ? [err.message.replaceAll(pathForm, hidden)] : [])]
      const text = withoutSecrets(parts.join('  ')).slice(0, maxLength)
      const line = { at: timestampFromMs(time), level: pino.levels.labels[level] ?? '', process, text }
      add([create(LogLineSchema, line)])
      return json
    },
  }
}

/** Logs errors of background work. `what`: the message, such as `a turn failed`. */
export function createReport(log: Logger, what: string): (error: unknown) => void {
  // The outage itself is logged elsewhere: health.ts.
  return (error) => log[isAway(error) ? 'debug' : 'error']({ err: error }, what)
}

/** Logs each run when it starts and when it ends, and counts ended runs. */
export function createRunReport(log: Logger, metrics: Pick<ProcessMetrics, 'runEnded'>): ReportRun {
  return (change) => {
    const { project, uuid, trigger, status, error, seconds, pages } = change
    const run = { project, run: uuid, trigger }
    if (status === 'running') return log.info(run, 'sync started')
    metrics.runEnded(change)
    const level = status === 'failed' ? 'warn' : 'info'
    log[level]({ ...run, seconds, pages, ...(error && { reason: error }) }, `sync ${status}`)
  }
}

/** Milliseconds for an orderly stop. After that, the process exits. */
const stopTimeoutMs = 15_000
/** Milliseconds before a second signal counts: `npm start` forwards the signal that the terminal has already sent. */
const repeatMs = 1_000

const stops = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/**
 * Handles signals and uncaught errors from now on. `close` ends the application in order. A kill or a crash of the engine
 * leaves no chance to log: the next start reports it (see DataLock).
 */
export function handleShutdown(close: () => Promise<void>, lock: DataLock, log: Logger) {
  let closing = false
  let stoppedAt = 0

  async function stop(signal: string) {
    if (closing) {
      if (performance.now() - stoppedAt < repeatMs) return
      log.warn(`${signal} again: Lectern exits without waiting for its work`)
      process.exit(1)
    }
    closing = true
    stoppedAt = performance.now()
    log.info(`${signal}: Lectern stops`)
    setTimeout(() => {
      log.error('Lectern could not stop in time and exits')
      process.exit(1)
    }, stopTimeoutMs).unref()
    try {
      await close()
      process.exit(0)
    } catch (error) {
      log.error({ err: error }, 'Lectern failed to stop in order and exits')
      process.exit(1)
    }
  }

  for (const signal of stops) process.on(signal, stop)
  process.on('uncaughtException', (error) => {
    closing = true
    log.fatal({ err: error }, 'Lectern exits: an error was not caught')
    process.exit(1)
  })
  // No work depends on it, so the process continues.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
  process.on('exit', (code) => {
    if (!closing) log.fatal({ code }, 'Lectern exits unexpectedly')
    lock.release()
  })
  return {
    /** Call it when the start has failed: the exit is then not logged as unexpected. Never settles during a stop. */
    async giveUp() {
      if (closing) await new Promise(() => {})
      closing = true
    },
  }
}

/** Keeps the process alive when the reader of its output closes the pipe. */
export function ignoreBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
