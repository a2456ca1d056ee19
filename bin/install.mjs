// Runs before `npm start` and `npm test`, on whatever Node there is: installs the dependencies when they are missing or
// older than the lockfile. Node 22 itself comes with them.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const installed = join(root, 'node_modules', '.package-lock.json')
const lockfile = join(root, 'package-lock.json')

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lockfile).mtimeMs) {
  process.stderr.write('Installing what Lectern needs (once, about a minute) …\n')
  const windows = process.platform === 'win32'
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: windows,
  })
  if (status !== 0) {
    process.stderr.write('npm ci failed: see the lines above.\n')
    process.exit(1)
  }
}
