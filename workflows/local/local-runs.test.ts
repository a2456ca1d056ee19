import { expect, test } from 'vitest'
import { openLocalRuns } from './local-runs.ts'

const entry = new URL('../../test/fixtures/broken-work-thread.ts', import.meta.url)

test('keeps work for the next thread and starts none while no thread can resume it', async () => {
  const reports: unknown[] = []
  const runs = await openLocalRuns({
    entry,
    workerData: null,
    startScheduled: async () => {},
    report: (error) => reports.push(error),
  })
  const run = { uuid: 'run', project: 'project' }
  await runs.startSync(run)
  await runs.stopSync(run)
  await expect(runs.ping()).rejects.toMatchObject({ reason: 'unavailable' })
  await runs.close()
  expect(String(reports[0])).toContain('the index cannot be read')
})

test('asks once whether all work has ended, however much there is', async () => {
  const runs = await openLocalRuns({
    entry: new URL('../../test/fixtures/waiting-work-thread.ts', import.meta.url),
    workerData: null,
    startScheduled: async () => {},
    report: () => {},
  })
  for (let n = 0; n < 20; n++) await runs.startRecrawl({ uuid: `recrawl ${n}`, project: 'project' })
  await expect(runs.dropProject('project')).rejects.toThrow(/asked [12] times/)
  await runs.close()
})
