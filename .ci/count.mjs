// Prints the closing lines of .ci/run from the report of test/report.ts: `node count.mjs <report> <status>`. What was skipped
// counts as failed, for CI has all that the tests need; and a run that failed beside its tests (checks, a crashed worker)
// counts as one more failure, so that it never reads as a success. Ends with 1 where anything failed.
import { readFileSync } from 'node:fs'

const [, , path, status] = process.argv

function read() {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    console.log('the tests left no report')
    return { seed: 'unknown', passed: 0, failed: 1, skipped: [], retried: [] }
  }
}

const { seed, passed, failed, skipped, retried } = read()
for (const name of skipped) console.log(`skipped, and nothing may be here: ${name}`)
for (const name of retried) console.log(`tried again: ${name}`)
console.log(`fast-check's seed was ${seed}; tests that were tried again: ${retried.length}`)
const bad = failed + skipped.length
const all = bad === 0 && (status !== '0' || passed === 0) ? 1 : bad
console.log(`${passed} passed, ${all} failed`)
process.exitCode = all === 0 ? 0 : 1
