import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'test/fixtures/**', 'data/**'],
    globalSetup: 'test/servers/setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    // On a busy machine a server of another make now and then fails a test for its own sake (FerretDB panics where two make a
    // collection at once); what is broken here fails each time.
    retry: process.env.CI ? 2 : 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A browser on a busy machine takes longer than the default second.
    expect: { poll: { timeout: 15_000 } },
  },
})
