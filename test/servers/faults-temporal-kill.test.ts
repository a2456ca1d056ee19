// A worker killed at each boundary of a run's work: another one continues, nothing is lost or duplicated,
// and the run ends.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunWithCounts } from '../../services/store/run.ts'
import { serversAvailable } from './available.ts'
import type { Doom } from './doom.ts'
import { holdPage, writePages } from './held-page.ts'
import { openTemporal, type TemporalServer } from './temporal.ts'
import { openTemporalLab, slug, type TemporalLab } from './temporal-lab.ts'

const names = ['a.html', 'b.html', 'c.html']
const timeout = 180_000

const before = (call: string, nth = 1): Doom => ({ call, nth, after: false })
const after = (call: string, nth = 1): Doom => ({ call, nth, after: true })

/** At the ends of activities and of their writes. For the other moments of each step see test/e2e/kill/plan.ts. */
const moments: [moment: string, doom: Doom][] = [
  ['while it claims the run', before('runs.holds')],
  ['before the run is marked as running', before('runs.start')],
  ['before a page is published', before('pages.publish')],
  ['when a page is published', after('pages.publish')],
  ['when deferred outcomes are read', after('frontier.deferred')],
  ['before missing pages are removed', before('pages.unlisted')],
  ['when the vocabulary is written', after('vocabulary.write')],
  ['when the run is completed', after('runs.finish')],
  ['when its last event is written', after('runs.appendLast')],
]

const namespaces = Array.from({ length: moments.length + 4 }, (_, at) => `lab-${at}`)

describe.skipIf(!serversAvailable).concurrent('a worker is killed', () => {
  let temporal: TemporalServer
  beforeAll(async () => {
    temporal = await openTemporal(namespaces)
  })
  afterAll(() => temporal?.remove())

  /** Does the work in a lab with a small site, in a namespace of its own. */
  async function inLab(work: (lab: TemporalLab) => Promise<void>) {
    const lab = await openTemporalLab({ temporal, namespace: namespaces.pop()! })
    try {
      writePages(lab.site, names)
      await lab.addSource()
      await work(lab)
    } finally {
      await lab.close()
    }
  }

  test.each(moments)('%s', { timeout }, (_, doom) =>
    inLab(async (lab) => {
      const killed = lab.startDoomedWorker(doom)
      const run = await lab.begin()
      await killed
      await lab.startWorker()
      expectReadOnce(await lab.ended(run), 4)
      await workflowEnds(lab, 'COMPLETED')
      await expectEventsOnce(lab, run)
      await expectWholeIndex(lab)
      expect(await lab.sync()).toMatchObject({ status: 'completed', pages: { unchanged: 4, removed: 0 } })
      expect(lab.errors).toEqual([])
    }),
  )

  test.each([
    ['before a cancelled run is ended', before('runs.finish')],
    ['when a cancelled run is ended', after('runs.finish')],
  ] as [string, Doom][])('%s', { timeout }, (_, doom) =>
    inLab(async (lab) => {
      const held = holdPage(lab.site, '/b.html')
      const killed = lab.startDoomedWorker(doom)
      const run = await lab.begin()
      await held.asked
      await lab.client.workflow.getHandle(`sync/${slug}`).cancel()
      await killed
      held.release()
      await lab.startWorker()
      expect((await lab.ended(run)).status).toBe('cancelled')
      await workflowEnds(lab, 'CANCELLED')
      const { rows } = await lab.store.runs.events(
        run.uuid,
        { type: 'run_finished' },
        { offset: 0, limit: 9 },
      )
      expect(rows).toMatchObject([{ message: 'The run was cancelled.' }])
      expect(await lab.sync()).toMatchObject({ status: 'completed', pages: { discovered: 4 } })
      await expectWholeIndex(lab)
    }),
  )

  test('three times at the same point: the run fails', { timeout }, () =>
    inLab(async (lab) => {
      const first = lab.startDoomedWorker(before('pages.publish'))
      const run = await lab.begin()
      await first
      // The first worker has logged the start of the source. From there on, the run makes no progress.
      for (let death = 1; death <= 3; death++) await lab.startDoomedWorker(before('pages.publish'))
      await lab.startWorker()
      expect(await lab.ended(run)).toMatchObject({
        status: 'failed',
        error: 'The run was interrupted 3 times at the same place, and failed.',
      })
      await workflowEnds(lab, 'COMPLETED')
    }),
  )

  test('in the middle of many pages: at most one batch is read twice', { timeout }, () =>
    inLab(async (lab) => {
      const many = Array.from({ length: 600 }, (_, at) => `p${at}.html`)
      writePages(lab.site, many)
      const killed = lab.startDoomedWorker(after('pages.publish', 4))
      const run = await lab.begin()
      await killed
      await lab.startWorker()
      expectReadOnce(await lab.ended(run), 601)
      const read = lab.site.requests.filter(({ path }) => path.startsWith('/p')).map(({ path }) => path)
      expect(new Set(read).size).toBe(600)
      // Pages in progress or waiting to be written: workflows/walk.ts has no more.
      expect(read.length - 600).toBeLessThanOrEqual(24 + 2 * 128)
      await expectWholeIndex(lab)
    }),
  )
})

/** A page that was published but not counted before the kill is counted as unchanged after it. */
function expectReadOnce({ status, pages }: RunWithCounts, count: number) {
  expect(status).toBe('completed')
  expect(pages).toMatchObject({ discovered: count, pending: 0, updated: 0, skipped: 0, failed: 0 })
  expect(pages.added + pages.unchanged).toBe(count)
}

async function workflowEnds(lab: TemporalLab, status: string) {
  const handle = lab.client.workflow.getHandle(`sync/${slug}`)
  await handle.result().catch(() => {})
  expect((await handle.describe()).status.name).toBe(status)
}

/** Every page has one outcome, and the run one start and one end. */
async function expectEventsOnce(lab: TemporalLab, run: { uuid: string }) {
  const { rows } = await lab.store.runs.events(run.uuid, {}, { offset: 0, limit: 100 })
  const types = rows.map(({ type, url }) => `${type} ${type.startsWith('page') ? url : ''}`.trim())
  expect(new Set(types).size).toBe(types.length)
  // If a worker is killed before it writes the first event, the run is resumed before it starts.
  expect(types.find((type) => type !== 'run_resumed')).toBe('run_started')
  expect(types.at(-1)).toBe('run_finished')
}

/** Each page's current version has units in the index. */
async function expectWholeIndex(lab: TemporalLab) {
  const versions = new Set<string>()
  for await (const { page, version } of lab.index.versions(lab.project)) versions.add(`${page} ${version}`)
  const pages = await lab.store.pages.scan(lab.project, null, 1_000)
  expect(pages.filter(({ uuid, version }) => !versions.has(`${uuid} ${version}`))).toEqual([])
}
