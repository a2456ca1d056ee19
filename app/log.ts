// The log on standard error: JSON lines, or lines for a person where a terminal shows them.
import { type Logger, pino } from 'pino'
import { withoutControls } from '../cli/print.ts'

interface LogOutput {
  isTTY?: boolean
  write(text: string): unknown
}

export function createLog(level: string, output: LogOutput = process.stderr): Logger {
  if (output.isTTY) {
    // The last row may show a line of progress, which is drawn again.
    const write = (line: string) => output.write(`\r\u001b[2K${withoutControls(toHuman(JSON.parse(line)))}\n`)
    return pino({ level, base: null }, { write })
  }
  return pino({ level, base: null }, output === process.stderr ? toStandardError() : output)
}

const toStandardError = () => pino.destination({ dest: 2, sync: true })

interface LogLine {
  level: number
  time: number
  msg?: string
  err?: { message: string; stack?: string }
  [field: string]: unknown
}

/** `17:42:03  warn  The text  route=/healthz`, in local time, with the stack of an error below it. */
function toHuman({ level, time, msg = '', err, ...fields }: LogLine): string {
  const at = new Date(time).toLocaleTimeString('en-GB')
  const severity = level > pino.levels.values.info! ? [pino.levels.labels[level]] : []
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`)
  const line = [at, ...severity, msg, ...(rest.length > 0 ? [rest.join(' ')] : [])].join('  ')
  return err ? `${line}\n${err.stack ?? err.message}` : line
}

/** Counts without those that are zero: `added:2,failed:1`. */
function toText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const counts = Object.entries(value).filter(([, count]) => count !== 0)
  return counts.map(([name, count]) => `${name}:${count}`).join(',')
}
