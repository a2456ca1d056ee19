// What a person does in Temporal beside syncs, and what kills and deletions leave there. What every driver promises:
// test/contract/runs.suite.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toQuery } from '../contract/search-index.suite.ts'
import { serversAvailable } from './available.ts'
import { holdPage, writePages } from './held-page.ts'
import { openTemporalLab, slug, type TemporalLab } from './temporal-lab.ts'

describe.skipIf(!serversAvailable)('background jobs on Temporal', () => {
  let lab: TemporalLab
  beforeAll(async () => {
    lab = await openTemporalLab()
    await lab.addSource()
    await lab.startWorker()
    writePages(lab.site, ['a.html', 'b.html'])
    await lab.sync()
  })
  afterAll(() => lab.close())

  const done = (workflowId: string) => lab.client.workflow.getHandle(workflowId).result()

  async function versions() {
    const found: number[] = []
    for await (const { version } of lab.index.versions(lab.project)) found.push(version)
    return found
  }

  test('a recrawl that a person cancels in Temporal is dropped', async () => {
    const held = holdPage(lab.site, '/slow.html')
    const uuid = await lab.recrawl('/slow.html')
    await held.asked
    await lab.client.workflow.getHandle(`recrawl/${uuid}`).cancel()
    await expect(done(`recrawl/${uuid}`)).rejects.toThrow()
    expect(await lab.store.recrawls.get(lab.project, uuid)).toMatchObject({ status: 'dropped' })
  })

  test('a schedule that was left behind goes when it comes due', async () => {
    await lab.runs.schedule(lab.project, '0 3 * * *')
    const before = await lab.store.runs.latest(lab.project)
    const handle = lab.client.schedule.getHandle(`schedule/${slug}`)
    await handle.trigger()
    const isGone = () =>
      handle.describe().then(
        () => false,
        () => true,
      )
    await expect.poll(isGone).toBe(true)
    expect(await lab.store.runs.latest(lab.project)).toEqual(before)
  })

  test('units that a kill left without a page go, but none that may still be published', async () => {
    const [found] = await lab.index.findByTerms(lab.project, toQuery(['words']))
    const { unit } = found!
    const fresh = Date.now() * 1_000
    for (const version of [1, fresh]) {
      await lab.index.add(lab.project, [{ ...unit, id: `${unit.page}:${version}:0`, version, ordinal: 0 }])
    }
    await lab.sync()
    expect(await versions()).not.toContain(1)
    expect(await versions()).toContain(fresh)
  })
})
