// Before the tests: builds the servers that they run against where Go is there, and says in one line where it is not.
import { spawnSync } from 'node:child_process'
import { missingServers } from './binaries.ts'
import { buildServers } from './build.ts'

export function setup() {
  const missing = missingServers()
  if (missing.length === 0) return
  if (spawnSync('go', ['version']).status === 0) buildServers(missing, console.warn)
  else if (process.env.CI) throw new Error(`CI needs Go to build ${missing.join(', ')} for the tests.`)
  else
    console.warn(
      `Tests on real servers are skipped: ${missing.join(', ')} must be built. Install Go 1.25 or later and run the tests again.`,
    )
}
