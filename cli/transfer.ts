// `lectern export`, `lectern import` and `lectern rotate-secret`: moves everything from one installation to another, or gives it another secret. They need no running Lectern:
// they read the same variables as one does.
import type { Config } from '../services/config.ts'
import { exportTo, importFrom, rotateSecret } from '../services/transfer/transfer.ts'
import { printLine } from './print.ts'

interface RowSums {
  [kind: string]: { count: number; checksum: string }
}

export async function exportAll(config: Config, path: string): Promise<void> {
  const line = createProgressLine()
  const sums = await exportTo(path, config, line.show).finally(line.end)
  printSums(sums)
  printLine(`Everything is in ${path}, with what only the administrators of both sides should see.`)
}

/** Sets exit code 1 where the target is not as the archive is. */
export async function importAll(
  config: Config,
  path: string,
  options: { otherSecret?: boolean },
): Promise<void> {
  const line = createProgressLine()
  const imported = await importFrom(path, config, options.otherSecret === true, line.show).finally(line.end)
  printSums(imported.sums as RowSums)
  if (imported.differing.size === 0) {
    printLine('Everything is there as it is in the archive. Start Lectern, or start it again.')
    return
  }
  for (const [kind, count] of imported.differing) {
    printLine(
      `${count} of kind ${kind} are not as they are in the archive: they were there before, or have changed.`,
    )
  }
  process.exitCode = 1
}

/** Sets exit code 1 where credentials are lost. */
export async function rotate(config: Config): Promise<void> {
  const { sources, lost } = await rotateSecret(config)
  printLine(`Credentials of ${sources} sources are encrypted under the new secret.`)
  const next =
    config.secret === null ? 'Start Lectern.' : 'Set LECTERN_SECRET to it everywhere, and start Lectern.'
  printLine(next)
  for (const name of lost) printLine(`Neither secret opens the credentials of ${name}: set them again.`)
  if (lost.length > 0) process.exitCode = 1
}

function printSums(sums: RowSums) {
  for (const [kind, { count, checksum }] of Object.entries(sums).toSorted()) {
    printLine(`${kind.padEnd(8)} ${String(count).padStart(9)}  ${checksum}`)
  }
}

/** One line that is written over; none where nobody looks. */
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
