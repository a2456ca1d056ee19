// `lectern export`, `lectern import` and `lectern rotate-secret`. They need no running Lectern: they read its settings.
import type { Config } from '../services/config.ts'
import { exportTo, importFrom, rotateSecret } from '../services/transfer/transfer.ts'
import { printLine } from './print.ts'

export async function exportAll(config: Config, path: string): Promise<void> {
  const line = createProgressLine()
  const counts = await exportTo(path, config, line.show).finally(line.end)
  printCounts(counts)
  printLine(`Exported to ${path}. Only administrators should see the file.`)
}

export async function importAll(
  config: Config,
  path: string,
  options: { otherSecret?: boolean },
): Promise<void> {
  const line = createProgressLine()
  const counts = await importFrom(path, config, options.otherSecret === true, line.show).finally(line.end)
  printCounts(counts)
  printLine('Imported. Start Lectern.')
}

/** Sets exit code 1 if credentials are lost. */
export async function rotate(config: Config): Promise<void> {
  const { sources, lost } = await rotateSecret(config)
  printLine(`Credentials of ${sources} sources are encrypted under the new secret.`)
  const next =
    config.secret === null ? 'Start Lectern.' : 'Set LECTERN_SECRET to it everywhere, and start Lectern.'
  printLine(next)
  for (const name of lost) printLine(`Neither secret opens the credentials of ${name}: set them again.`)
  if (lost.length > 0) process.exitCode = 1
}

function printCounts(counts: Record<string, number>) {
  for (const [kind, count] of Object.entries(counts).toSorted())
    printLine(`${kind.padEnd(10)} ${String(count).padStart(9)}`)
}

/** A line that overwrites itself, on terminals only. */
function createProgressLine() {
  const { stderr } = process
  return {
    show(sentence: string) {
      if (stderr.isTTY) stderr.write(`\r${sentence}\x1b[K`)
    },
    end() {
      if (stderr.isTTY) stderr.write('\r\x1b[K')
    },
  }
}
