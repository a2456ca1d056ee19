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
    file: 'app/shutdown.ts',
    search: 'if (performance.now() - stoppedAt < repeatMs) return',
    replacement: '',
    tests: ['app/shutdown.test.ts'],
    expected: 'a signal that comes twice within a second stops Lectern in order',
  },
]
