// Starting, stopping, settings, metrics and telemetry.
import type { Mutation } from './mutation.ts'

export const operationsMutations: Mutation[] = [
  {
    name: 'no-telemetry',
    file: 'services/model/local/no-telemetry.ts',
    search: "if (isMainThread) process.env[name] = '1'",
    replacement: 'if (isMainThread) continue',
    tests: ['test/e2e/outgoing.test.ts'],
    expected: 'writes to its data folder alone',
  },
  {
    name: 'second-signal-of-npm',
    file: 'app/process.ts',
    search: 'if (performance.now() - stoppedAt < repeatMs) return',
    replacement: '',
    tests: ['app/process.test.ts'],
    expected: 'a signal that comes twice within a second stops Lectern in order',
  },
  {
    name: 'log-ended-runs',
    file: 'services/sync/watch-runs.ts',
    search: 'if (changed) await tellNews(run)',
    replacement: '',
    tests: ['services/sync/watch-runs.test.ts', 'test/e2e/metrics.test.ts'],
    expected: 'a run leaves a line when it starts and one when it ends, and is counted',
  },
  {
    name: 'runs-outlive-their-log',
    file: 'services/sync/watch-runs.ts',
    search: 'await read(run).catch(() => null)',
    replacement: 'await read(run)',
    tests: ['services/sync/watch-runs.test.ts'],
    expected: 'a store that does not answer any more does not fail the end that it has written',
  },
  {
    name: 'no-telemetry-in-threads',
    file: 'services/model/local/no-telemetry.ts',
    search: "else if (process.env[name] !== '1')",
    replacement: 'else if (isMainThread)',
    tests: ['services/model/local/no-telemetry.test.ts'],
    expected: 'a worker thread does not load the runtime where the main thread has not turned telemetry off',
  },
]
