// The contract of the runs port on the in-process runner.
import { afterAll, beforeAll, vi } from 'vitest'
import { testRuns } from './runs.suite.ts'
import { holdClock, openLocalDriver } from './runs-local.ts'

beforeAll(holdClock)
afterAll(() => void vi.useRealTimers())

testRuns('in the process', openLocalDriver)
