// Temporal unavailable at the start and in the middle of a run; unavailable backends and bugs; two workers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { backendAway } from '../../services/errors.ts'
import { openTemporalRuns, type TemporalRuns } from '../../workflows/temporal/temporal-runs.ts'
import { serversAvailable } from './available.ts'
import { failing } from './doom.ts'
import { holdPage, writePages } from './held-page.ts'
import { openTemporal, type TemporalServer } from './temporal.ts'
import { openTemporalLab, slug, type TemporalLab } from './temporal-lab.ts'

const timeout = 120_000

/** One for each test. */
const namespaces = Array.from({ length: 7 }, (_, at) => `lab-${at}`)

describe.skipIf(!serversAvailable)('Temporal faults', { timeout }, () => {
  let temporal: TemporalServer
  let lab: TemporalLab
  /** The timeout for Temporal equals that of the product. */
  let runs: TemporalRuns
  beforeAll(async () => {
    temporal = await openTemporal(namespaces)
  })
  afterAll(() => temporal?.remove())
  beforeEach(async () => {
    const namespace = namespaces.pop()!
    lab = await openTemporalLab({ temporal, namespace })
    const { store, errors } = lab
    const report = (error: unknown) => errors.push(error)
    runs = await openTemporalRuns({ address: temporal.address, namespace, key: null, store, report })
    await lab.addSource()
    writePages(lab.site, ['a.html', 'b.html'])
  })
  afterEach(async () => {
    // A failed test may have left it paused or down.
    temporal.resume()
    await temporal.start()
    await runs.close()
    await lab.close()
  })

  const workflow = () => lab.client.workflow.getHandle(`sync/${slug}`)

  test('while Temporal is down, no run starts, and a live one completes afterwards', async () => {
    await lab.startWorker()
    const held = holdPage(lab.site, '/b.html')
    const run = await lab.begin()
    await held.asked
    await temporal.kill()
    await expect(lab.begin('api', runs)).rejects.toMatchObject({ reason: 'unavailable', retryAfter: 5 })
    await expect(runs.ping()).rejects.toMatchObject({ reason: 'unavailable' })
    expect(await lab.store.runs.live()).toMatchObject([{ uuid: run.uuid }])
    await temporal.start()
    held.release()
    expect(await lab.ended(run)).toMatchObject({ status: 'completed', pages: { added: 3 } })
    expect((await lab.sync()).status).toBe('completed')
  })

  test('a hanging Temporal counts as unavailable', async () => {
    await lab.runs.ping()
    await temporal.pause()
    await expect(lab.begin('api', runs)).rejects.toMatchObject({ reason: 'unavailable' })
    temporal.resume()
    expect(await lab.store.runs.live()).toEqual([])
  })

  test('a cancel while Temporal is down stops the run', async () => {
    await lab.startWorker()
    const held = holdPage(lab.site, '/b.html')
    const run = await lab.begin()
    await held.asked
    await temporal.kill()
    await lab.cancel(run, runs)
    const asked = lab.site.requests.length
    held.release()
    await temporal.start()
    expect((await lab.ended(run)).status).toBe('cancelled')
    // The workflow learns of it from its worker, since Temporal was down.
    await workflow().result()
    expect(lab.site.requests.length).toBe(asked)
  })

  test('a worker that starts before Temporal reports that, and works once Temporal is up', async () => {
    await temporal.kill()
    const started = lab.startWorker()
    await expect.poll(() => String(lab.errors[0])).toContain(`Temporal at ${temporal.address}`)
    await temporal.start()
    await started
    expect((await lab.sync()).status).toBe('completed')
  })

  test('another worker continues a run when its worker stops', async () => {
    const first = await lab.startWorker()
    const held = holdPage(lab.site, '/b.html')
    const run = await lab.begin()
    await held.asked
    await lab.startWorker()
    await first.close()
    held.release()
    expect(await lab.ended(run)).toMatchObject({ status: 'completed', pages: { discovered: 3 } })
    expect(lab.errors).toEqual([])
  })

  test('a briefly unavailable store does not fail a run', async () => {
    await lab.startWorker((store) =>
      failing(store, 'frontier.settle', (count) => (count <= 2 ? backendAway('store', null) : null)),
    )
    expect(await lab.sync()).toMatchObject({ status: 'completed', pages: { discovered: 3, pending: 0 } })
    expect(lab.errors).toEqual([])
  })

  test('a bug fails the run at once, with a sentence', async () => {
    await lab.startWorker((store) => failing(store, 'frontier.settle', () => new TypeError('x is not a y')))
    expect(await lab.sync()).toMatchObject({
      status: 'failed',
      error: 'The run failed with an internal error.',
    })
    await expect(workflow().result()).rejects.toThrow()
    expect((await workflow().describe()).status.name).toBe('FAILED')
    expect(new Set(lab.errors.map(String))).toEqual(new Set(['TypeError: x is not a y']))
    const history = JSON.stringify((await workflow().fetchHistory()).events)
    expect(history).not.toContain('x is not a y')
  })
})
