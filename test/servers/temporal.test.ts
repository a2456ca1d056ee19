// What Temporal shows of syncs, actions of a person there, and what kills and deletions leave there. Promises of every driver:
// test/contract/runs.suite.ts.
import { WorkflowFailedError } from '@temporalio/client'
import { defaultPayloadConverter } from '@temporalio/common'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reconcile } from '../../workflows/temporal/worker.ts'
import { toQuery } from '../contract/search-index.suite.ts'
import { serversAvailable } from './available.ts'
import { holdPage, writePages } from './held-page.ts'
import { openTemporalLab, slug, type TemporalLab } from './temporal-lab.ts'

describe.skipIf(!serversAvailable)('on Temporal', () => {
  let lab: TemporalLab
  beforeAll(async () => {
    lab = await openTemporalLab()
    await lab.addSource()
    await lab.startWorker()
  })
  afterAll(() => lab.close())

  const workflow = () => lab.client.workflow.getHandle(`sync/${slug}`)
  const lastEvents = async (run: { uuid: string }) =>
    (await lab.store.runs.events(run.uuid, { type: 'run_finished' }, { offset: 0, limit: 10 })).rows

  /** Begins a run that waits for a page of the site. */
  async function beginHeld() {
    writePages(lab.site, ['a.html', 'b.html'])
    const held = holdPage(lab.site, '/b.html')
    const run = await lab.begin()
    await held.asked
    return { run, held }
  }

  test('a run canceled over the API is shown as canceled in Temporal', async () => {
    const { run, held } = await beginHeld()
    await lab.cancel(run)
    await expect(workflow().result()).rejects.toBeInstanceOf(WorkflowFailedError)
    expect((await workflow().describe()).status.name).toBe('CANCELLED')
    const asked = lab.site.requests.length
    held.release()
    expect((await lab.ended(run)).status).toBe('cancelled')
    expect(await lastEvents(run)).toHaveLength(1)
    expect(lab.site.requests.length).toBe(asked)
  })

  test('a run canceled in Temporal ends as canceled', async () => {
    const { run, held } = await beginHeld()
    await workflow().cancel()
    expect(await lab.ended(run)).toMatchObject({ status: 'cancelled', error: null })
    held.release()
    await expect(workflow().result()).rejects.toBeInstanceOf(WorkflowFailedError)
    expect(await lastEvents(run)).toMatchObject([{ message: 'The run was cancelled.' }])
  })

  test('a run whose workflow is terminated in Temporal ends as canceled', async () => {
    const { run, held } = await beginHeld()
    await workflow().terminate('enough of it')
    await reconcile({ ...lab, now: () => new Date(Date.now() + 60_000) })
    expect(await lab.ended(run)).toMatchObject({ status: 'cancelled', error: null })
    held.release()
  })

  test('a live run without a workflow is started', async () => {
    const begun = await lab.store.runs.begin({
      ...{ uuid: crypto.randomUUID(), project: lab.project, trigger: 'api', status: 'queued' },
      ...{ createdAt: new Date().toISOString(), startedAt: null, finishedAt: null, error: null },
      supersededBy: null,
      sourcesFailed: 0,
    })
    await reconcile({ ...lab, now: () => new Date(Date.now() + 60_000) })
    expect((await lab.ended(begun!.run)).status).toBe('completed')
  })

  test('shows a run by its project, with parameters, steps and progress', async () => {
    const { run, held } = await beginHeld()
    const { memo, searchAttributes, staticSummary } = await workflow().describe()
    expect(memo).toEqual({ uuid: run.uuid, project: lab.project, slug, fence: run.fence, trigger: 'api' })
    expect(searchAttributes).toMatchObject({
      LecternProject: [slug],
      LecternRun: [run.uuid],
      LecternTrigger: ['api'],
    })
    expect(await staticSummary()).toBe(`Sync of ${slug} (api)`)
    const details = async () => {
      const metadata = await workflow().query<{ currentDetails: string }>('__temporal_workflow_metadata')
      return metadata.currentDetails
    }
    expect(await details()).toBe('**Reading pages** (0 of 2 sources read)')
    // The details that Temporal shows of a running activity.
    const pending = async () => {
      const [activity] = (await workflow().describe()).raw.pendingActivities!
      const [shown] = activity?.heartbeatDetails?.payloads ?? []
      return shown && { [activity!.activityType!.name!]: defaultPayloadConverter.fromPayload(shown) }
    }
    await expect.poll(pending).toMatchObject({ readSources: { discovered: 3, pending: 1 } })
    held.release()
    const { pages } = await lab.ended(run)
    expect(await workflow().result()).toEqual(pages)
    expect(await details()).toContain('**Done**')
    expect(await details()).toContain('| discovered | 3 |\n| pending | 0 |')
    const { events } = await workflow().fetchHistory()
    const steps = events!.flatMap(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
    )
    expect(steps).toEqual(['start', 'readSources', 'settle', 'finish'])
    const found = lab.client.workflow.list({ query: `LecternRun = "${run.uuid}"` })
    await expect.poll(async () => (await found[Symbol.asyncIterator]().next()).value).toBeDefined()
  })

  const done = (workflowId: string) => lab.client.workflow.getHandle(workflowId).result()

  async function versions() {
    const found: number[] = []
    for await (const { version } of lab.index.versions(lab.project)) found.push(version)
    return found
  }

  test('a recrawl canceled in Temporal is dropped', async () => {
    const held = holdPage(lab.site, '/slow.html')
    const uuid = await lab.recrawl('/slow.html')
    await held.asked
    await lab.client.workflow.getHandle(`recrawl/${uuid}`).cancel()
    await expect(done(`recrawl/${uuid}`)).rejects.toThrow()
    expect(await lab.store.recrawls.get(lab.project, uuid)).toMatchObject({ status: 'dropped' })
  })

  test('a leftover schedule is deleted when it becomes due', async () => {
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

  test('units without a page after a kill are deleted, except those that may still be published', async () => {
    writePages(lab.site, ['a.html', 'b.html'])
    await lab.sync()
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
