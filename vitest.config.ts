import { defineConfig } from 'vitest/config'

/** Of all that fast-check makes up in this run; printed by the reporter. A red run is repeated with the seed that it had. */
const seed = Number(process.env.LECTERN_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
if (!Number.isInteger(seed)) throw new Error('LECTERN_TEST_SEED takes a whole number')

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'test/fixtures/**', 'data/**'],
    globalSetup: 'test/servers/setup.ts',
    setupFiles: 'test/seed.ts',
    provide: { seed },
    reporters: ['default', 'test/report.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A browser on a busy machine takes longer than the default second.
    expect: { poll: { timeout: 15_000 } },
  },
})
