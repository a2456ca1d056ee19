// Runs before `npm start` and `npm test`, on whatever Node there is: installs the dependencies when they are missing or
// older than the lockfile, and checks the binaries among them. Node 22 itself comes with them.
import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findWrongBinary } from './check-binaries.mjs'

const root = join(import.meta.dirname, '..')
const lockfile = join(root, 'package-lock.json')
const hashes = join(root, 'bin', 'binaries.json')
/** npm writes it when everything is in its place. */
const installed = join(root, 'node_modules', '.package-lock.json')
/** Written here when the binaries were found right. */
const checked = join(root, 'node_modules', '.binaries-checked')

const isOlder = (path, than) =>
  (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < statSync(than).mtimeMs

function stop(line) {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}

if (isOlder(installed, lockfile)) {
  process.stderr.write('Installing what Lectern needs (once, about a minute) …\n')
  // No package here needs its install script, so none is run.
  const { status } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' },
  )
  if (status !== 0) stop('npm ci failed: see the lines above.')
}
if (isOlder(checked, installed) || isOlder(checked, hashes)) {
  const wrong = findWrongBinary(join(root, 'node_modules'))
  if (wrong) stop(wrong)
  writeFileSync(checked, '')
}
