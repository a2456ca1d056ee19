// What a process writes to its log, and how it ends: in order on a signal, with a log line on an uncaught error.
import { create } from '@bufbuild/protobuf'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { type Logger, type LoggerOptions, pino } from 'pino'
import { withoutControls } from '../cli/print.ts'
import { type LogLine, LogLineSchema } from '../gen/lectern/v1/status_pb.js'
import type { DataLock } from '../services/data/data-folder.ts'
import { isAway } from '../services/errors.ts'
import type { TellRun } from '../services/sync/watch-runs.ts'
import type { ProcessMetrics } from './health.ts'

interface LogOutput {
  isTTY?: boolean
  write(text: string): unknown
}

/** On standard error: JSON lines, or text where a terminal shows it. Each line goes into `tail`, too. */
export function createLog(level: string, output: LogOutput = process.stderr, tail?: LogTail): Logger {
  const options: LoggerOptions = { level, base: null }
  if (tail) options.hooks = { streamWrite: tail.write }
  if (output.isTTY) {
    // The last row may show a line of progress, which is drawn again.
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
/** Keys of Lectern, and passwords in addresses, whoever's they are. */
const secretForms = [/\blec_\w+/g, /(?<=:\/\/)[^/@\s]+(?=@)/g]
/** A path in the message of an error. Elsewhere it is the route of a request. */
const pathForm = /(?<=^|[\s'"(])(?:file:\/\/)?\/(?:[\w.@+-]+\/)+[\w.@+-]+/g
const hidden = '[hidden]'

export type LogTail = ReturnType<typeof createLogTail>

/** The last lines of the log, for operators elsewhere: neither stacks of errors nor `secrets` are in them. */
export function createLogTail(process: string, secrets: string[]) {
  let lines: LogLine[] = []
  const withoutSecrets = (text: string) =>
    [...secrets, ...secretForms].reduce<string>((left, each) => left.replaceAll(each, hidden), text)

  function add(added: LogLine[]) {
    lines = [...lines, ...added].slice(-maxLines)
  }
  return {
    add,
    /** From now on. */
    hide: (secret: string) => void secrets.push(secret),
    read: () => lines.toSorted((one, other) => timestampMs(one.at!) - timestampMs(other.at!)),
    take: () => lines.splice(0),
    /** Takes a line of JSON as pino writes it, and answers it as it was. */
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

/** Logs errors of background work. `what` went wrong, such as `a turn went wrong`. */
export function createReport(log: Logger, what: string): (error: unknown) => void {
  // An unavailable server has a line of its own: health.ts.
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

/** A stop that takes longer is cut short, in milliseconds. */
const stopTimeoutMs = 15_000
/** Milliseconds before a second signal counts: `npm start` forwards the signal that the terminal has already sent. */
const repeatMs = 1_000

const stops = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/**
 * Watches over the process from here on. `close` ends the application in order. What the system gives no chance to say (a
 * kill, a crash of the engine) is reported by the next start: see DataLock.
 */
export function handleShutdown(close: () => Promise<void>, lock: DataLock, log: Logger) {
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
  // Nothing awaited it, so all other work continues.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a failure that nothing waited for'))
  process.on('exit', (code) => {
    if (!closing) log.fatal({ code }, 'Lectern ends without having been asked to')
    lock.release()
  })
  return {
    /** The start has failed: the process may end without a word of its own. Never settles while a stop is under way. */
    async giveUp() {
      if (closing) await new Promise(() => {})
      closing = true
    },
  }
}

/** The reader of the output may close it: the work continues without it. */
export function ignoreBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
