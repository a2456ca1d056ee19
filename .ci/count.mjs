// Prints the last lines of .ci/run from reports of test/report.ts: `node count.mjs <status> <report>…`. A skipped test counts as
// failed, because CI installs what tests need. Only containers may be skipped, on a machine that cannot run them. A run that failed
// outside of its tests (a check, a crashed worker) counts as one more failure. The exit status is 1 if anything failed.
import { readFileSync } from 'node:fs'

const [, , status, ...paths] = process.argv

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    console.log(`no test report: ${path}`)
    return { seed: 'unknown', passed: 0, failed: 1, skipped: [], retried: [] }
  }
}

let passes = 0
let failures = 0
for (const { seed, passed, failed, skipped, retried } of paths.map(read)) {
  const [noContainers] = skipped.flatMap((name) => / > (containers skipped: .*)/.exec(name)?.[1] ?? [])
  if (noContainers === undefined)
    for (const name of skipped) console.log(`skipped, which CI does not allow: ${name}`)
  else console.log(noContainers)
  for (const name of retried) console.log(`retried: ${name}`)
  console.log(`fast-check seed: ${seed}; retried tests: ${retried.length}`)
  passes += passed
  failures += failed + (noContainers === undefined ? skipped.length : 0)
}
const isFaulty = failures === 0 && (status !== '0' || passes === 0)
console.log(`${passes} passed, ${isFaulty ? 1 : failures} failed`)
process.exitCode = isFaulty || failures > 0 ? 1 : 0
