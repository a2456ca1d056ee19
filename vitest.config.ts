import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Of all that fast-check makes up in this run; printed by the reporter. A red run is repeated with the seed that it had. */
const seed = Number(process.env.LECTERN_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
if (!Number.isInteger(seed)) throw new Error('LECTERN_TEST_SEED takes a whole number')

/** Files and folders that take longest: they start first, so that no worker waits for one of them at the end. */
const slowFirst = [
  'test/e2e/kill',
  'web/widget/browser/',
  'test/console/',
  'test/servers/',
  'test/openapi/',
  'test/hostile-text/',
  'crawler/extract/hostile',
  'crawler/extract/tidy-html',
  'gateway/body',
  'test/protocol/permission-matrix',
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

/** Files that share the modules of their worker, because they replace none and leave the process unchanged. */
const sharing = globSync('{crawler,services,sources}/**/*.test.ts', { cwd: import.meta.dirname }).filter(
  (path) => !/\bvi\.|\bprocess\.|\bWorker\b/.test(readFileSync(new URL(path, import.meta.url), 'utf8')),
)

/** Settings of every project. */
export const common = {
  setupFiles: 'test/seed.ts',
  pool: 'forks' as const,
  // They end what hangs. On a busy machine a step may take twenty times as long as on an idle one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: Number(process.env.LECTERN_TEST_POLL_TIMEOUT ?? 270_000) } },
}
const exclude = ['node_modules/**', 'test/fixtures/**', 'data/**', 'test/containers/**']

export default defineConfig({
  test: {
    projects: [
      { test: { ...common, name: 'alone', include: ['**/*.test.ts'], exclude: [...exclude, ...sharing] } },
      { test: { ...common, name: 'sharing', include: sharing, isolate: false } },
    ],
    globalSetup: 'test/servers/setup.ts',
    provide: { seed },
    reporters: ['default', 'test/report.ts'],
    // Twice as many as CI has cores: the slow tests mostly wait. See "Tests" in docs/trials.md.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
  },
})
