import { expect, test } from 'vitest'
import { openLocalRuns } from './local-runs.ts'

const entry = new URL('../../test/fixtures/broken-work-thread.ts', import.meta.url)

test('a thread that cannot take up what was left keeps nobody waiting', async () => {
  const reports: unknown[] = []
  const runs = await openLocalRuns({
    entry,
    threadData: null,
    startScheduled: async () => {},
    report: (error) => reports.push(error),
  })
  const run = { uuid: 'run', project: 'project' }
  await expect(runs.startSync(run)).rejects.toMatchObject({ reason: 'unavailable' })
  await expect(runs.stopSync(run)).rejects.toMatchObject({ reason: 'unavailable' })
  await runs.close()
  expect(String(reports[0])).toContain('the index cannot be read')
})
