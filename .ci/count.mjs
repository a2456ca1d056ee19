// Prints the last lines of .ci/run from reports of test/report.ts: `node count.mjs <status> <report>…`. Skipped tests count as failed,
// because CI installs what tests need, except for containers on a machine that cannot run them. A run that failed outside of its
// tests (checks, a crashed worker) counts as one more failure. Exits with 1 if anything failed.
import { readFileSync } from 'node:fs'

const [, , status, ...paths] = process.argv

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    console.log('the tests left no report')
    return { seed: 'unknown', passed: 0, failed: 1, skipped: [], retried: [] }
  }
}

let passed = 0
let bad = 0
for (const report of paths.map(read)) {
  const { seed, skipped, retried } = report
  const [refused] = skipped.flatMap((name) => / > (containers: skipped, because .*)/.exec(name)?.[1] ?? [])
  if (refused === undefined)
    for (const name of skipped) console.log(`skipped, and nothing may be here: ${name}`)
  else console.log(refused)
  for (const name of retried) console.log(`tried again: ${name}`)
  console.log(`fast-check's seed was ${seed}; tests that were tried again: ${retried.length}`)
  passed += report.passed
  bad += report.failed + (refused === undefined ? skipped.length : 0)
}
const all = bad === 0 && (status !== '0' || passed === 0) ? 1 : bad
console.log(`${passed} passed, ${all} failed`)
process.exitCode = all === 0 ? 0 : 1
