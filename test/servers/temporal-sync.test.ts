// Syncs on a real Temporal (interface.md "sync", decisions.md section 5, "Sync run").
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { htmlPage } from '../e2e/site.ts'
import { serversAvailable } from './available.ts'
import { openTemporalLab, type TemporalLab } from './temporal-lab.ts'

describe.skipIf(!serversAvailable)('a sync on Temporal', () => {
  let lab: TemporalLab
  beforeAll(async () => {
    lab = await openTemporalLab()
    await lab.addSource()
    await lab.startWorker()
  })
  afterAll(() => lab.close())

  test('it reads the sources to their end', async () => {
    lab.site.pages.set('/', htmlPage('Start', 'Where to begin.', ['/a.html', '/b.html']))
    lab.site.pages.set('/a.html', htmlPage('A', 'Words of a.'))
    lab.site.pages.set('/b.html', htmlPage('B', 'Words of b.'))
    expect(await lab.sync()).toMatchObject({ status: 'completed', pages: { added: 3, pending: 0 } })
    expect(await lab.sync()).toMatchObject({ status: 'completed', pages: { unchanged: 3, pending: 0 } })
    expect(lab.errors).toEqual([])
  })
})
