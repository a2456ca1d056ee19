// Before the tests: creates the folder for their temporary files, and builds the servers that they need if Go is
// installed, or else prints one line.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { missingServers } from './binaries.ts'
import { buildServers } from './build.ts'

/** A tmpfs of Linux: databases flush each write, which on a disk takes longer than everything else in many tests. */
const inMemory = '/dev/shm'
/** Bytes that must be free there. A full run uses less than a gigabyte. */
const minFreeBytes = 4 * 2 ** 30

/** Returns the cleanup after the tests. */
export function setup() {
  buildMissing()
  const folder = mkdtempSync(join(hasRoom() ? inMemory : tmpdir(), 'lectern-tests-'))
  process.env.TMPDIR = folder
  // Compiled code, and sources without their types, shared by all processes and threads. See "Tests" in docs/trials.md.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  process.env.NODE_OPTIONS = `--require=${JSON.stringify(fileURLToPath(new URL('../strip-cache.cjs', import.meta.url)))}`
  return () => {
    // Renamed first: a worker that exits late still writes to its compile cache, and a new file would fail the removal.
    const removed = `${folder}-removed`
    renameSync(folder, removed)
    rmSync(removed, { recursive: true, force: true })
  }
}

function hasRoom(): boolean {
  if (!existsSync(inMemory)) return false
  const { bavail, bsize } = statfsSync(inMemory)
  return Math.min(bavail * bsize, process.availableMemory()) >= minFreeBytes
}

function buildMissing() {
  const missing = missingServers()
  if (missing.length === 0) return
  if (spawnSync('go', ['version']).status === 0) buildServers(missing, console.warn)
  else if (process.env.CI) throw new Error(`CI needs Go to build ${missing.join(', ')} for the tests.`)
  else
    console.warn(
      `Tests on real servers are skipped: ${missing.join(', ')} must be built. Install Go 1.25 or later and run the tests again.`,
    )
}
