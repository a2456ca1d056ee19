// The contract of the runs port on the in-process runner: in its thread, as the product starts it, and with schedules on a clock
// that the test moves.
import { afterAll, beforeAll, vi } from 'vitest'
import { readConfig } from '../../services/config.ts'
import { openLocalRuns } from '../../workflows/local/local-runs.ts'
import { testRuns } from './runs.suite.ts'
import type { OpenRunsDriver } from './runs-lab.ts'

const entry = new URL('../../app/crawl-thread.ts', import.meta.url)

const hour = 60 * 60_000
/** Every five-field line with a day of the week is due within this time. */
const horizon = 8 * 24 * hour

// The clock runs normally until a schedule must become due.
beforeAll(
  () => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true }),
)
afterAll(() => void vi.useRealTimers())

const openLocalDriver: OpenRunsDriver = async ({ data, startScheduled, report }) => {
  const due = new Map<string, Date>()
  const workerData = readConfig({ LECTERN_DATA: data, LECTERN_CRAWL_ALLOW: '127.0.0.0/8' })
  const runs = await openLocalRuns({
    ...{ entry, workerData, report },
    startScheduled: async (project) => {
      due.set(project, new Date())
      await startScheduled(project)
    },
  })
  return {
    runs,
    async comeDue(project) {
      due.delete(project)
      for (let passed = 0; passed < horizon && !due.has(project); passed += hour) {
        vi.advanceTimersByTime(hour)
        await new Promise(setImmediate)
      }
      return due.get(project) ?? null
    },
    // Its thread does the work, and is closed with it.
    closeWorkers: async () => {},
  }
}

testRuns('in the process', openLocalDriver)
