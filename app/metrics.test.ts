import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProcessMetrics } from './metrics.ts'

test('a gauge that cannot be read has no value', async () => {
  const metrics = createProcessMetrics(join(import.meta.dirname, 'no-such-folder'))
  metrics.readFrom({
    liveRuns: () => Promise.reject(new Error()),
    indexTotals: () => Promise.reject(new Error()),
  })
  const lines = (await metrics.render()).split('\n')
  expect(lines).toContain('# TYPE lectern_data_free_bytes gauge')
  const gauges = /^lectern_(?:data|index|embedding|sync_live)_/
  expect(lines.filter((line) => gauges.test(line))).toEqual([])
})
