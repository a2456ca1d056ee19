// Compares the binaries of Node and uWebSockets.js with the SHA-256 in `binaries.json`. Run by `node bin/check-binaries.mjs`,
// and by `install.mjs` after each installation.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const platform = `${process.platform}-${process.arch}`
const known = JSON.parse(readFileSync(join(import.meta.dirname, 'binaries.json'), 'utf8'))

/** Returns an error message about the binaries in `folder` (a `node_modules`), in one line, or null. */
export function findWrongBinary(folder) {
  const expected = known[platform]
  if (!expected) return `Lectern does not run on ${platform}; it runs on ${Object.keys(known).join(', ')}.`
  for (const [name, hash] of Object.entries(expected)) {
    const path = join(folder, name)
    if (!existsSync(path))
      return `${path} is missing: npm could not install it. Remove node_modules and try again.`
    const found = createHash('sha256').update(readFileSync(path)).digest('hex')
    if (found !== hash) {
      return `${path} is not the binary that Lectern was released with (its SHA-256 is ${found}, not ${hash}): it will not be run. Remove node_modules and try again.`
    }
  }
  return null
}

if (process.argv[1] === import.meta.filename) {
  const wrong = findWrongBinary(join(import.meta.dirname, '..', 'node_modules'))
  if (wrong) {
    process.stderr.write(`${wrong}\n`)
    process.exitCode = 1
  }
}
