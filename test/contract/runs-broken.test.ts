// The contract of the runs port notices broken promises: each broken driver fails the case that it names, and every case is
// failed by one.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { closingCases, runsCases } from './runs.suite.ts'
import { type BrokenRuns, brokenRuns } from './runs-broken.ts'
import { openRunsBench, type RunsBench } from './runs-lab.ts'
import { holdClock, openLocalDriver } from './runs-local.ts'

/** Milliseconds: by far enough for a good driver, however busy the machine. */
const timeout = 200_000
/** What does not come about in a broken one is waited for so long, and until all has come about in the good ones beside it. */
const brokenTimeout = 2_000

let bench: RunsBench
const noticed = new Set<string>()
/** Cases that the driver fails as it is, beside the broken ones: then nothing that they notice means anything. */
const failedByGood: string[] = []
beforeAll(async () => {
  holdClock()
  bench = await openRunsBench(openLocalDriver, { timeout })
  const closing = brokenRuns.filter((broken) => closingCases.has(broken.case))
  const beside = runsCases.filter(({ name }) => !closingCases.has(name))
  const good = Promise.all(beside.map(runGood))
  const together = brokenRuns.filter((broken) => !closing.includes(broken))
  await Promise.all([good, ...together.map((broken) => run(broken, good))])
  for (const broken of closing) await run(broken, good)
  for (const name of closingCases) await runGood(runsCases.find((each) => each.name === name)!)
}, 600_000)
afterAll(async () => {
  await bench.close()
  vi.useRealTimers()
})

async function run(broken: BrokenRuns, after: Promise<unknown>) {
  const named = runsCases.find(({ name }) => name === broken.case)!
  const timeouts = { timeout: brokenTimeout, after }
  await bench.run(named.run, broken, timeouts).catch(() => noticed.add(broken.promise))
}

async function runGood({ name, run }: (typeof runsCases)[number]) {
  await bench.run(run).catch((error) => failedByGood.push(`${name}: ${error}`))
}

test('nothing is noticed where nothing is broken', () => {
  expect(failedByGood).toEqual([])
})

test.each(brokenRuns)('noticed when broken: $promise', ({ promise }) => {
  expect(noticed).toContain(promise)
})

test('every case is failed by a broken driver', () => {
  const failed = new Set(brokenRuns.map((broken) => broken.case))
  expect(runsCases.map(({ name }) => name).filter((name) => !failed.has(name))).toEqual([])
})
