// Prints the closing line of .ci/run from vitest's JSON report: `node count.mjs <report> <status>`. A run that failed
// beside its tests (checks, a crashed worker) counts as one more failure, so that it never reads as a success.
import { readFileSync } from 'node:fs'

const [, , path, status] = process.argv
let passed = 0
let failed = 0
try {
  const report = JSON.parse(readFileSync(path, 'utf8'))
  passed = report.numPassedTests
  failed = report.numFailedTests
} catch {
  failed = 1
}
if (status !== '0' && failed === 0) failed = 1
console.log(`${passed} passed, ${failed} failed`)
