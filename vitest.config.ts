import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Of all that fast-check makes up in this run; printed by the reporter. A red run is repeated with the seed that it had. */
const seed = Number(process.env.LECTERN_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
if (!Number.isInteger(seed)) throw new Error('LECTERN_TEST_SEED takes a whole number')

/** Folders whose files take longest: they start first, so that no worker waits for one of them at the end. */
const slowFirst = [
  'test/e2e/kill',
  'web/widget/browser/',
  'test/console/',
  'test/servers/',
  'test/openapi/',
  'test/hostile-text/',
  'test/contract/',
  'test/e2e/',
  'test/sync/',
]

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = slowFirst.findIndex((folder) => moduleId.includes(`/${folder}`))
      return at < 0 ? slowFirst.length : at
    }
    return files.toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'test/fixtures/**', 'data/**', 'test/containers/**'],
    globalSetup: 'test/servers/setup.ts',
    setupFiles: 'test/seed.ts',
    provide: { seed },
    reporters: ['default', 'test/report.ts'],
    pool: 'forks',
    // Twice as many as CI has cores: the slow tests mostly wait. See "Tests" in docs/trials.md.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    // They end what hangs. On a busy machine a step may take twenty times as long as on an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 270_000 } },
  },
})
